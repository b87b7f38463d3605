import { type DeliveryResult, type HookService, hookTaken } from '@crewhall/contracts/boards/hooks.ts'
import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { deletingRows } from '#platform/db/brand-rows.ts'
import { violates } from '#platform/db/pg-errors.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'

export interface HookRow {
  readonly id: string
  readonly service: HookService
  readonly url: string
  readonly remote_id: number | null
  readonly board_ids: string[] | null
  readonly old_secret_until: string | null
  readonly last_event: string | null
  readonly last_result: DeliveryResult | null
  readonly last_at: string | null
  readonly created_at: string
  readonly updated_at: string
}

type One = { id: string }
interface Settings {
  readonly url: string
  readonly board_ids: readonly string[] | null
}

const columns = `h.id, h.service, h.url, h.remote_id::float8 as remote_id, h.board_ids, h.created_at, h.updated_at,
   case when h.old_secret_until > platform.now() then h.old_secret_until end as old_secret_until,
   d.event as last_event, d.result as last_result, d.received_at as last_at`
const withLast = `left join lateral (select d.event, d.result, d.received_at from boards.hook_deliveries d
     where d.brand_id = h.brand_id and d.hook_id = h.id order by d.received_at desc limit 1) d on true`

// Serializes additions, so that two at once cannot both take the last place.
const turn = brandStatement<object, unknown>(
  (p) => sql`select pg_advisory_xact_lock(hashtext('boards.hooks'), ${p.brand_id})`,
)
const count = brandStatement<object, { count: number }>(
  (p) => sql`select count(*)::int as count from boards.hooks where brand_id = ${p.brand_id}`,
)
const list = brandStatement<{ limit: number }, HookRow>(
  (p) => sql`select ${columns} from boards.hooks h ${withLast} where h.brand_id = ${p.brand_id}
   order by h.url, h.id limit ${p.limit}`,
)
const find = brandStatement<One, HookRow>(
  (p) =>
    sql`select ${columns} from boards.hooks h ${withLast} where h.brand_id = ${p.brand_id} and h.id = ${p.id}`,
)
const lock = brandStatement<One, One>(
  (p) => sql`select id from boards.hooks where brand_id = ${p.brand_id} and id = ${p.id} for update`,
)
const add = brandStatement<One & Settings & { service: HookService; secret: Buffer }, unknown>(
  (p) => sql`insert into boards.hooks (brand_id, id, service, url, board_ids, secret)
   values (${p.brand_id}, ${p.id}, ${p.service}, ${p.url}, ${p.board_ids}, ${p.secret})`,
)
// Another address is another repository.
const change = brandStatement<One & Settings, unknown>(
  (p) => sql`update boards.hooks set remote_id = case when url = ${p.url} then remote_id end, url = ${p.url},
     board_ids = ${p.board_ids}, updated_at = platform.now()
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const remove = brandStatement<One, One>(
  (p) => sql`delete from boards.hooks where brand_id = ${p.brand_id} and id = ${p.id} returning id`,
)
const rotate = brandStatement<One & { secret: Buffer; hours: number }, One>(
  (p) => sql`update boards.hooks
   set old_secret = secret, old_secret_until = platform.now() + make_interval(hours => ${p.hours}),
     secret = ${p.secret}, updated_at = platform.now()
   where brand_id = ${p.brand_id} and id = ${p.id} returning id`,
)

export interface SignerRow {
  readonly brand_id: number
  readonly id: string
  readonly service: HookService
  readonly url: string
  readonly remote_id: number | null
  readonly board_ids: string[] | null
  /** Sealed, as the other one. */
  readonly secret: Buffer
  readonly old_secret: Buffer | null
}
const signer = statement<One, SignerRow>(
  (p) => sql`select brand_id, id, service, url, remote_id::float8 as remote_id, board_ids, secret,
     case when old_secret_until > platform.now() then old_secret end as old_secret
   from boards.hooks where id = ${p.id}`,
)

const pulls = deletingRows('boards.pull_requests', 'hook_id', 'number')
const deliveries = deletingRows('boards.hook_deliveries', 'hook_id', 'id')
const pushes = deletingRows('boards.pushes', 'hook_id', 'branch', 'after', 'before')
const suites = deletingRows('boards.check_suites', 'sha', 'hook_id', 'id')
const hooks = deletingRows('boards.hooks', 'id')
const old = (table: string, key: string) =>
  statement<{ days: number; limit: number }, unknown>(
    (p) => sql`delete from ${table} where (${key}) in (select ${key} from ${table}
     where received_at < platform.now() - make_interval(days => ${p.days}) order by received_at limit ${p.limit})`,
  )
const oldRows = {
  'boards.hook_deliveries': old('boards.hook_deliveries', 'brand_id, hook_id, id'),
  'boards.pushes': old('boards.pushes', 'brand_id, hook_id, branch, after, before'),
  'boards.check_suites': old('boards.check_suites', 'brand_id, sha, hook_id, id'),
} as const
export type SweptTable = keyof typeof oldRows

export const lockHooks = (ctx: BrandTx) => ctx.db.run(turn, {})
export const countHooks = async (ctx: BrandCtx) => (await ctx.db.first(count, {}))?.count ?? 0
export const listHooks = (ctx: BrandCtx, limit: number) => ctx.db.all(list, { limit })
export const findHook = (ctx: BrandCtx, id: string) => ctx.db.first(find, { id })
export const lockHook = async (ctx: BrandTx, id: string) =>
  (await ctx.db.first(lock, { id })) && ctx.db.first(find, { id })
export const insertHook = (
  ctx: BrandTx,
  hook: One & Settings & { readonly service: HookService; readonly secret: Buffer },
) => refusingTaken(ctx.db.run(add, { ...hook }))
export const updateHook = (ctx: BrandTx, id: string, settings: Settings) =>
  refusingTaken(ctx.db.run(change, { id, ...settings }))
export const deleteHook = (ctx: BrandTx, id: string) => ctx.db.first(remove, { id })
export const updateHookSecret = (ctx: BrandTx, id: string, fresh: { secret: Buffer; hours: number }) =>
  ctx.db.first(rotate, { id, ...fresh })
/** Over all brands: the hook is all that its sender names. */
export const findSigner = (ctx: SystemCtx, id: string) => ctx.overBrands().db.first(signer, { id })

export const deleteOld = (ctx: SystemCtx, table: SweptTable, days: number, limit: number) =>
  ctx.overBrands().db.run(oldRows[table], { days, limit })
export const deletePulls = (ctx: BrandCtx, limit: number) => ctx.db.run(pulls, { limit })
export const deleteDeliveries = (ctx: BrandCtx, limit: number) => ctx.db.run(deliveries, { limit })
export const deletePushes = (ctx: BrandCtx, limit: number) => ctx.db.run(pushes, { limit })
export const deleteSuites = (ctx: BrandCtx, limit: number) => ctx.db.run(suites, { limit })
export const deleteHooks = (ctx: BrandCtx, limit: number) => ctx.db.run(hooks, { limit })

async function refusingTaken(written: Promise<unknown>): Promise<void> {
  try {
    await written
  } catch (error) {
    if (violates(error, 'hooks_url_key')) throw hookTaken()
    throw error
  }
}
