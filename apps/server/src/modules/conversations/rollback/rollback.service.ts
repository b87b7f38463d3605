import * as refused from '@crewhall/contracts/conversations/refusals.ts'
import { type Rollback, shownLeft } from '@crewhall/contracts/conversations/rollback.ts'
import { listWriters, mayRollBack, type RolledBack, rollBack } from '#modules/memory'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { updateSettled } from '../ledger/claims.store.ts'
import { findConversation } from '../ledger/ledger.store.ts'
import { findSource } from '../sources/sources.store.ts'

interface Going {
  readonly cursor?: string | undefined
}

export const rollBackSource = (ctx: BrandCtx, cursors: Cursors, id: string, going: Going) =>
  ctx.tx(async (ctx): Promise<Rollback> => {
    if (!mayRollBack(ctx)) throw refused.onlyPeopleRollBack()
    if (!(await findSource(ctx, id))) throw refused.sourceNotFound()
    const place = placeIn(ctx, cursors, `source:${id}`, going)
    const which = { source_id: id }
    await updateSettled(ctx, await listWriters(ctx, which, place.after))
    return place.present(await rollBack(ctx, which, place.after))
  })

export const rollBackConversation = (ctx: BrandCtx, cursors: Cursors, id: string, going: Going) =>
  ctx.tx(async (ctx): Promise<Rollback> => {
    if (!mayRollBack(ctx)) throw refused.onlyPeopleRollBack()
    if (!(await findConversation(ctx, id))) throw refused.conversationNotFound()
    const place = placeIn(ctx, cursors, `conversation:${id}`, going)
    await updateSettled(ctx, [id])
    return place.present(await rollBack(ctx, { conversation_id: id }, place.after))
  })

/** One call is one bite and one transaction, however much there is to undo. */
function placeIn(ctx: BrandTx, cursors: Cursors, target: string, { cursor }: Going) {
  const list = `rollback:${ctx.brandId}:${target}`
  const after = cursor === undefined ? undefined : cursors.read(list, cursor)
  if (cursor !== undefined && after === undefined) throw refused.unknownRollback()
  return {
    after,
    async present({ deleted, restored, left, withdrawn, next }: RolledBack): Promise<Rollback> {
      const counts = {
        deleted: deleted.length,
        restored: restored.length,
        withdrawn,
        left_count: left.length,
      }
      const action = `${target.split(':', 1)[0]}.rolled_back`
      await ctx.audit({ action, target, from: null, to: counts })
      const shown = left.slice(0, shownLeft).map(({ id, reason }) => ({ memory_id: id, reason }))
      return { ...counts, left: shown, next_cursor: next === null ? null : cursors.issue(list, next) }
    },
  }
}
