import { randomUUID } from 'node:crypto'
import {
  type Hook,
  type HookService,
  hookBoardsUnknown,
  hookLimit,
  hookNotFound,
  maxHooks,
} from '@crewhall/contracts/boards/hooks.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import type { Sweep } from '#platform/jobs/sweep.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import { areBoards } from '../boards/known-boards.service.ts'
import { newHookSecret, sealHookSecret } from './hook-secret.ts'
import { presentHook } from './hooks.present.ts'
import * as store from './hooks.store.ts'

/** How long the secret before the last rotation is still taken. */
const overlapHours = 24

export const listAllHooks = async (ctx: BrandCtx): Promise<{ items: Hook[] }> => ({
  items: (await store.listHooks(ctx, maxHooks)).map(presentHook),
})

export async function getOneHook(ctx: BrandCtx, id: string): Promise<Hook> {
  return presentHook(found(await store.findHook(ctx, id)))
}

interface NewHook {
  readonly service: HookService
  readonly url: string
  readonly board_ids?: readonly string[] | null | undefined
}

export const openHook = (
  ctx: BrandCtx,
  box: SecretBox,
  { service, url, board_ids = null }: NewHook,
): Promise<Hook & { secret: string }> =>
  ctx.tx(async (ctx) => {
    await store.lockHooks(ctx)
    await refuseUnknownBoards(ctx, board_ids)
    if ((await store.countHooks(ctx)) >= maxHooks) throw hookLimit()
    const id = randomUUID()
    const secret = newHookSecret()
    const sealed = sealHookSecret(box, ctx.brandId, id, secret)
    await store.insertHook(ctx, { id, service, url, board_ids, secret: sealed })
    const made = await getOneHook(ctx, id)
    await audit(ctx, 'created', id, null, { service, url, board_ids })
    return { ...made, secret }
  })

interface HookChange {
  readonly url?: string | undefined
  readonly board_ids?: readonly string[] | null | undefined
}

export const changeOneHook = (ctx: BrandCtx, id: string, change: HookChange): Promise<Hook> =>
  ctx.tx(async (ctx) => {
    const before = found(await store.lockHook(ctx, id))
    const { url = before.url, board_ids = before.board_ids } = change
    if (change.board_ids) await refuseUnknownBoards(ctx, board_ids)
    await store.updateHook(ctx, id, { url, board_ids })
    const after = await getOneHook(ctx, id)
    await audit(ctx, 'changed', id, { url: before.url, board_ids: before.board_ids }, { url, board_ids })
    return after
  })

export const endHook = (ctx: BrandCtx, id: string) =>
  ctx.tx(async (ctx) => {
    const { service, url, board_ids } = found(await store.lockHook(ctx, id))
    await store.deleteHook(ctx, id)
    await audit(ctx, 'deleted', id, { service, url, board_ids }, null)
    return { removed: true as const }
  })

export const rotateSecret = (ctx: BrandCtx, box: SecretBox, id: string): Promise<Hook & { secret: string }> =>
  ctx.tx(async (ctx) => {
    const secret = newHookSecret()
    const sealed = sealHookSecret(box, ctx.brandId, id, secret)
    found(await store.updateHookSecret(ctx, id, { secret: sealed, hours: overlapHours }))
    const rotated = await getOneHook(ctx, id)
    await audit(ctx, 'secret_rotated', id, null, { old_secret_until: rotated.old_secret_until })
    return { ...rotated, secret }
  })

/** A delivery that comes again later than this is stale by the times in it. */
const deliveryDays = 30
/** Of a branch that nobody has pushed to for so long, and of checks, nobody asks. */
const factDays = 180
const sweepOf = (table: store.SweptTable, days: number): Sweep => ({
  table,
  bite: (ctx, limit) => store.deleteOld(ctx, table, days, limit),
})
export const hookSweeps = [
  sweepOf('boards.hook_deliveries', deliveryDays),
  sweepOf('boards.pushes', factDays),
  sweepOf('boards.check_suites', factDays),
]

/** Of a workspace that is erased, what hangs on hooks first: each step is small. */
export const hookRowsOfBrand = [
  store.deletePulls,
  store.deleteDeliveries,
  store.deletePushes,
  store.deleteSuites,
  store.deleteHooks,
]

function found<Row>(row: Row | undefined): Row {
  if (!row) throw hookNotFound()
  return row
}

async function refuseUnknownBoards(ctx: BrandTx, ids: readonly string[] | null): Promise<void> {
  if (ids && !(await areBoards(ctx, ids))) throw hookBoardsUnknown()
}

const audit = (ctx: BrandTx, what: string, id: string, from: unknown, to: unknown): Promise<void> =>
  ctx.audit({ action: `hook.${what}`, target: `hook:${id}`, from, to })
