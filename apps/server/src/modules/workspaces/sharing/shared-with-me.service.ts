import { notAuthenticated } from '@crewhall/contracts/identity/refusals.ts'
import type { RefusalKind } from '@crewhall/contracts/refusal.ts'
import { commenterRequired, editorRequired } from '@crewhall/contracts/workspaces/guests.ts'
import type { PersonActor } from '#platform/ctx/actor.ts'
import type { BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import type { Sql } from '#platform/db/statement.ts'
import { sharedWithMeStore } from './shared-with-me.store.ts'
import { pageOf } from './sharing.rules.ts'
import type { Sharing } from './sharing.service.ts'

/** Sorts before every id. */
const fromStart = '00000000-0000-0000-0000-000000000000'

/** What guests do: they act in no workspace, and find it by what is shared with them. */
export function createSharedWithMe<Row extends { readonly id: string; readonly brand_id: number }>(
  sharing: Sharing,
  columns: Sql,
) {
  const store = sharedWithMeStore<Row>(sharing.tables, columns)

  async function list(
    ctx: SystemCtx,
    { after = fromStart, limit }: { readonly after?: string | undefined; readonly limit: number },
  ) {
    const { person_id, is_verified } = guestOf(ctx)
    const rows = is_verified ? await store.listShared(ctx, { person_id, after, limit: limit + 1 }) : []
    return pageOf(rows, limit, ({ id }) => id)
  }

  /**
   * One query and one refusal for a resource that does not exist and one that is not shared with the caller. The same
   * holds for one shared with an address that the caller has not proven to be theirs (S1).
   */
  async function enter<Ctx extends SystemCtx>(ctx: Ctx, resource_id: string, absent: RefusalKind) {
    const guest = guestOf(ctx)
    const shared = await store.findShared(ctx, guest.person_id, resource_id)
    if (!shared || !guest.is_verified) throw absent()
    // A role that the session has in a workspace of its own means nothing here.
    const actor = { ...guest, brand_id: null, role: null }
    const inside = ctx.forBrand(shared.brand_id, { actor }) as ReturnType<Ctx['forBrand']>
    return { shared, inside }
  }

  /** Called inside the write, after the lock of the resource: a role that was taken meanwhile writes nothing. */
  async function requireRole(
    ctx: BrandTx,
    resource_id: string,
    { role, absent }: { readonly role: 'commenter' | 'editor'; readonly absent: RefusalKind },
  ): Promise<void> {
    const guest = await sharing.holdGuest(ctx, { resource_id, person_id: guestOf(ctx).person_id })
    if (!guest) throw absent()
    if (guest.role === 'editor' || guest.role === role) return
    throw role === 'commenter' ? commenterRequired() : editorRequired()
  }

  return { list, enter, requireRole }
}

function guestOf({ actor }: SystemCtx | BrandTx): PersonActor {
  if (actor.kind !== 'person') throw notAuthenticated()
  return actor
}
