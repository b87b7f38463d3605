import type { SourceType } from '@crewhall/contracts/conversations/sources.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, type Named, sql } from '#platform/db/statement.ts'

export type Reader = 'directory' | 'boards'
export interface SourceRow {
  readonly id: string
  readonly agent_id: string
  readonly source_type: SourceType
  /** Sealed. */
  readonly config: Buffer
  readonly reader: Reader | null
  readonly enabled: boolean
  readonly paused_reason: string | null
  /** When the reader comes next, or the end of its lease. */
  readonly next_read_at: string | null
  readonly last_read_at: string | null
  /** In a row. */
  readonly read_failures: number
  readonly read_reason: string | null
  readonly skipped: Readonly<Record<string, number>>
  readonly created_by: number | null
  readonly created_at: string
  readonly updated_at: string
}

/** For all that returns a source. */
export const columns = `id, agent_id, source_type, config, reader, enabled, paused_reason, next_read_at, last_read_at,
     read_failures, read_reason, skipped, created_by, created_at, updated_at`
type Id = { readonly id: string }

const one = (p: Named<Id & { brand_id: number }>) => sql`select ${columns} from conversations.sources
   where brand_id = ${p.brand_id} and id = ${p.id} and deleted_at is null`
const find = brandStatement<Id, SourceRow>(one)
const lock = brandStatement<Id, SourceRow>((p) => sql`${one(p)} for no key update`)
const hold = brandStatement<Id, SourceRow>((p) => sql`${one(p)} for share`)

interface Page {
  readonly before: string
  readonly limit: number
}
const list = brandStatement<Page, SourceRow>(
  (p) => sql`select ${columns} from conversations.sources
   where brand_id = ${p.brand_id} and deleted_at is null and id < ${p.before}::uuid
   order by id desc limit ${p.limit}`,
)
const listOfAgent = brandStatement<Page & { agent_id: string }, SourceRow>(
  (p) => sql`select ${columns} from conversations.sources
   where brand_id = ${p.brand_id} and agent_id = ${p.agent_id} and deleted_at is null and id < ${p.before}::uuid
   order by id desc limit ${p.limit}`,
)

// The lock of the plan is shared: it keeps the limit as it is. This one lets creations take turns.
const turn = brandStatement<object, unknown>(
  (p) => sql`select pg_advisory_xact_lock(hashtext('conversations.sources'), ${p.brand_id})`,
)
const count = brandStatement<object, { count: number }>(
  (p) => sql`select count(*)::int as count from conversations.sources
   where brand_id = ${p.brand_id} and deleted_at is null`,
)

interface NewRow extends Id {
  readonly agent_id: string
  readonly source_type: SourceType
  readonly config: Buffer
  readonly reader: Reader | null
  readonly enabled: boolean
  readonly created_by: number | null
}
const add = brandStatement<NewRow, SourceRow>(
  (
    p,
  ) => sql`insert into conversations.sources (brand_id, id, agent_id, source_type, config, reader, next_read_at,
     enabled, created_by)
   values (${p.brand_id}, ${p.id}, ${p.agent_id}, ${p.source_type}, ${p.config}, ${p.reader}::text,
     case when ${p.reader}::text is not null then platform.now() end, ${p.enabled}, ${p.created_by})
   returning ${columns}`,
)
interface Change extends Id {
  readonly config: Buffer
  readonly reader: Reader | null
  readonly enabled: boolean
  readonly paused_reason: string | null
}
// A reader that was given other settings begins anew, and whoever reads now has lost the source.
const change = brandStatement<Change & { has_new_config: boolean }, SourceRow>(
  (p) => sql`update conversations.sources set config = ${p.config}, reader = ${p.reader}::text,
     position = case when ${p.has_new_config} then '' else position end,
     next_read_at = case when ${p.reader}::text is null then null
       when ${p.has_new_config} or enabled <> ${p.enabled} then platform.now() else next_read_at end,
     epoch = epoch + (${p.has_new_config} or enabled <> ${p.enabled})::int,
     lease_until = case when ${p.has_new_config} or enabled <> ${p.enabled} then null else lease_until end,
     losses = case when ${p.has_new_config} or enabled <> ${p.enabled} then 0 else losses end,
     read_failures = case when ${p.has_new_config} or enabled <> ${p.enabled} then 0 else read_failures end,
     read_reason = case when ${p.has_new_config} or enabled <> ${p.enabled} then null else read_reason end,
     skipped = case when ${p.has_new_config} then '{}' else skipped end,
     enabled = ${p.enabled}, paused_reason = ${p.paused_reason}, updated_at = platform.now()
   where brand_id = ${p.brand_id} and id = ${p.id} returning ${columns}`,
)
// Its settings go at once, and so does what a reader would need.
const remove = brandStatement<Id, SourceRow>(
  (p) => sql`update conversations.sources set deleted_at = platform.now(), config = '', enabled = false,
     lease_until = null
   where brand_id = ${p.brand_id} and id = ${p.id} and deleted_at is null returning ${columns}`,
)
const pauseOfAgent = brandStatement<{ agent_id: string; reason: string }, unknown>(
  (p) => sql`update conversations.sources set enabled = false, paused_reason = ${p.reason},
     lease_until = null, updated_at = platform.now()
   where brand_id = ${p.brand_id} and agent_id = ${p.agent_id} and enabled and deleted_at is null`,
)

export const findSource = (ctx: BrandCtx, id: string) => ctx.db.first(find, { id })
export const lockSource = (ctx: BrandTx, id: string) => ctx.db.first(lock, { id })
/** It is neither deleted nor paused before the commit. */
export const holdSource = (ctx: BrandTx, id: string) => ctx.db.first(hold, { id })
export const listSources = (ctx: BrandCtx, agent_id: string | undefined, page: Page) =>
  agent_id === undefined ? ctx.db.all(list, page) : ctx.db.all(listOfAgent, { ...page, agent_id })
export const lockSources = (ctx: BrandTx) => ctx.db.run(turn, {})
export const countSources = async (ctx: BrandCtx): Promise<number> =>
  (await ctx.db.first(count, {}))?.count ?? 0
export const insertSource = (ctx: BrandTx, row: NewRow) => ctx.db.first(add, row)
export const updateSource = (ctx: BrandTx, row: Change, has_new_config: boolean) =>
  ctx.db.first(change, { ...row, has_new_config })
export const deleteSource = (ctx: BrandTx, id: string) => ctx.db.first(remove, { id })
export const pauseSourcesOfAgent = (ctx: BrandTx, agent_id: string, reason: string) =>
  ctx.db.run(pauseOfAgent, { agent_id, reason })
