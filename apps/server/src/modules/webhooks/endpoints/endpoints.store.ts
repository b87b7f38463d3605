import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

export interface EndpointRow {
  readonly id: string
  readonly url: string
  readonly description: string
  readonly events: string[]
  readonly board_ids: string[] | null
  readonly is_enabled: boolean
  readonly disabled_reason: 'gone' | null
  readonly failing_since: string | null
  readonly old_secret_until: string | null
  readonly created_at: string
  readonly updated_at: string
}

export interface EndpointSettings {
  readonly url: string
  readonly description: string
  readonly events: readonly string[]
  readonly board_ids: readonly string[] | null
  readonly is_enabled: boolean
}

interface One {
  readonly id: string
}

const columns = `id, url, description, events, board_ids, is_enabled, disabled_reason, failing_since,
   case when old_secret_until > platform.now() then old_secret_until end as old_secret_until, created_at, updated_at`

// Serializes additions, so that two at once cannot both take the last place.
const turn = brandStatement<object, unknown>(
  (p) => sql`select pg_advisory_xact_lock(hashtext('webhooks.endpoints'), ${p.brand_id})`,
)
const count = brandStatement<object, { count: number }>(
  (p) => sql`select count(*)::int as count from webhooks.endpoints where brand_id = ${p.brand_id}`,
)
const list = brandStatement<{ limit: number }, EndpointRow>(
  (p) => sql`select ${columns} from webhooks.endpoints where brand_id = ${p.brand_id} order by created_at, id
     limit ${p.limit}`,
)
const find = brandStatement<One, EndpointRow>(
  (p) => sql`select ${columns} from webhooks.endpoints where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const lock = brandStatement<One, EndpointRow>(
  (p) => sql`select ${columns} from webhooks.endpoints where brand_id = ${p.brand_id} and id = ${p.id}
     for update`,
)
const add = brandStatement<One & EndpointSettings & { secret: Buffer }, EndpointRow>(
  (p) => sql`insert into webhooks.endpoints (brand_id, id, url, description, events, board_ids, is_enabled,
     secret)
   values (${p.brand_id}, ${p.id}, ${p.url}, ${p.description}, ${p.events},
     ${p.board_ids}, ${p.is_enabled}, ${p.secret}) returning ${columns}`,
)
// What an admin changes is tried at once, whatever failed before.
const change = brandStatement<One & EndpointSettings, EndpointRow>(
  (p) => sql`update webhooks.endpoints
   set url = ${p.url}, description = ${p.description}, events = ${p.events},
     board_ids = ${p.board_ids}, is_enabled = ${p.is_enabled}, updated_at = platform.now(),
     disabled_reason = case when ${p.is_enabled} then null else disabled_reason end,
     failures = 0, failing_since = null, resting_until = null
   where brand_id = ${p.brand_id} and id = ${p.id} returning ${columns}`,
)
const remove = brandStatement<One, EndpointRow>(
  (p) =>
    sql`delete from webhooks.endpoints where brand_id = ${p.brand_id} and id = ${p.id} returning ${columns}`,
)
const rotate = brandStatement<One & { secret: Buffer; hours: number }, EndpointRow>(
  (p) => sql`update webhooks.endpoints
   set old_secret = secret, old_secret_until = platform.now() + make_interval(hours => ${p.hours}),
     secret = ${p.secret}, updated_at = platform.now()
   where brand_id = ${p.brand_id} and id = ${p.id} returning ${columns}`,
)

export const lockEndpoints = (ctx: BrandTx) => ctx.db.first(turn, {})
export const countEndpoints = async (ctx: BrandCtx) => (await ctx.db.first(count, {}))?.count ?? 0
export const listEndpoints = (ctx: BrandCtx, limit: number) => ctx.db.all(list, { limit })
export const findEndpoint = (ctx: BrandCtx, id: string) => ctx.db.first(find, { id })
export const lockEndpoint = (ctx: BrandTx, id: string) => ctx.db.first(lock, { id })
export const insertEndpoint = (ctx: BrandTx, id: string, settings: EndpointSettings & { secret: Buffer }) =>
  ctx.db.first(add, { id, ...settings })
export const updateEndpoint = (ctx: BrandTx, id: string, settings: EndpointSettings) =>
  ctx.db.first(change, { id, ...settings })
export const deleteEndpoint = (ctx: BrandTx, id: string) => ctx.db.first(remove, { id })
export const updateSecret = (ctx: BrandTx, id: string, fresh: { secret: Buffer; hours: number }) =>
  ctx.db.first(rotate, { id, ...fresh })
