import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'

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

interface InBrand {
  readonly brand_id: number
}
interface One extends InBrand {
  readonly id: string
}

const columns = `id, url, description, events, board_ids, is_enabled, disabled_reason, failing_since,
   case when old_secret_until > platform.now() then old_secret_until end as old_secret_until, created_at, updated_at`

// Whoever adds one waits here, so that two at once cannot both take the last place.
const turn = sqlStatement<InBrand, unknown>(
  `select pg_advisory_xact_lock(hashtext('webhooks.endpoints'), $1)`,
  'brand_id',
)
const count = sqlStatement<InBrand, { count: number }>(
  'select count(*)::int as count from webhooks.endpoints where brand_id = $1',
  'brand_id',
)
const list = sqlStatement<InBrand & { limit: number }, EndpointRow>(
  `select ${columns} from webhooks.endpoints where brand_id = $1 order by created_at, id limit $2`,
  'brand_id',
  'limit',
)
const find = sqlStatement<One, EndpointRow>(
  `select ${columns} from webhooks.endpoints where brand_id = $1 and id = $2`,
  'brand_id',
  'id',
)
const lock = sqlStatement<One, EndpointRow>(
  `select ${columns} from webhooks.endpoints where brand_id = $1 and id = $2 for update`,
  'brand_id',
  'id',
)
const add = sqlStatement<One & EndpointSettings & { secret: Buffer }, EndpointRow>(
  `insert into webhooks.endpoints (brand_id, id, url, description, events, board_ids, is_enabled, secret)
   values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${columns}`,
  'brand_id',
  'id',
  'url',
  'description',
  'events',
  'board_ids',
  'is_enabled',
  'secret',
)
// What an admin changes is tried at once, whatever failed before.
const change = sqlStatement<One & EndpointSettings, EndpointRow>(
  `update webhooks.endpoints
   set url = $3, description = $4, events = $5, board_ids = $6, is_enabled = $7, updated_at = platform.now(),
     disabled_reason = case when $7 then null else disabled_reason end,
     failures = 0, failing_since = null, resting_until = null
   where brand_id = $1 and id = $2 returning ${columns}`,
  'brand_id',
  'id',
  'url',
  'description',
  'events',
  'board_ids',
  'is_enabled',
)
const remove = sqlStatement<One, EndpointRow>(
  `delete from webhooks.endpoints where brand_id = $1 and id = $2 returning ${columns}`,
  'brand_id',
  'id',
)
const rotate = sqlStatement<One & { secret: Buffer; hours: number }, EndpointRow>(
  `update webhooks.endpoints
   set old_secret = secret, old_secret_until = platform.now() + make_interval(hours => $4), secret = $3,
     updated_at = platform.now()
   where brand_id = $1 and id = $2 returning ${columns}`,
  'brand_id',
  'id',
  'secret',
  'hours',
)

const one = (ctx: BrandCtx, id: string): One => ({ brand_id: ctx.brandId, id })

export const lockEndpoints = (ctx: BrandTx) => ctx.db.first(turn, { brand_id: ctx.brandId })
export const countEndpoints = async (ctx: BrandCtx) =>
  (await ctx.db.first(count, { brand_id: ctx.brandId }))?.count ?? 0
export const listEndpoints = (ctx: BrandCtx, limit: number) =>
  ctx.db.all(list, { brand_id: ctx.brandId, limit })
export const findEndpoint = (ctx: BrandCtx, id: string) => ctx.db.first(find, one(ctx, id))
export const lockEndpoint = (ctx: BrandTx, id: string) => ctx.db.first(lock, one(ctx, id))
export const insertEndpoint = (ctx: BrandTx, id: string, settings: EndpointSettings & { secret: Buffer }) =>
  ctx.db.first(add, { ...one(ctx, id), ...settings })
export const updateEndpoint = (ctx: BrandTx, id: string, settings: EndpointSettings) =>
  ctx.db.first(change, { ...one(ctx, id), ...settings })
export const deleteEndpoint = (ctx: BrandTx, id: string) => ctx.db.first(remove, one(ctx, id))
export const updateSecret = (ctx: BrandTx, id: string, fresh: { secret: Buffer; hours: number }) =>
  ctx.db.first(rotate, { ...one(ctx, id), ...fresh })
