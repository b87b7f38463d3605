import type { MemoryStatus } from '@crewhall/contracts/memory/fields.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import type { EmbeddingModel } from '#platform/db/embedding-queue.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'
import type { Cause } from '../memories/tombstones.store.ts'

type OfAgent = { readonly agent_id: string }

// One writer at a time: two conversations that say the same at once would both find nothing.
const lockAgent = brandStatement<OfAgent, unknown>(
  (p) =>
    sql`select pg_advisory_xact_lock(hashtext('memory.automation'), hashtext(${p.brand_id}::int || ' ' || ${p.agent_id}))`,
)
const lockRows = brandStatement<
  OfAgent & { ids: readonly string[]; hashes: readonly Buffer[] },
  { id: string }
>(
  (p) => sql`select id from memory.memories where brand_id = ${p.brand_id} and agent_id = ${p.agent_id}
     and (id = any(${p.ids}::uuid[]) or text_hash = any(${p.hashes}::bytea[]))
   order by id for no key update`,
)

export interface AlikeRow {
  readonly id: string
  readonly status: MemoryStatus
  readonly is_locked: boolean
  readonly superseded_by: string | null
}
// An active one before all others; of equal ones the first.
const alike = brandStatement<OfAgent & { text_hash: Buffer }, AlikeRow>(
  (p) => sql`select id, status, is_locked, superseded_by from memory.memories
   where brand_id = ${p.brand_id} and agent_id = ${p.agent_id} and text_hash = ${p.text_hash}
   order by status <> 'active', status <> 'merged', id limit 1 for no key update`,
)
export interface NearRow extends AlikeRow {
  readonly title: string
  readonly body: string
}
const near = brandStatement<OfAgent & { ids: readonly string[] }, NearRow>(
  (p) => sql`select id, status, is_locked, superseded_by, title, body from memory.memories
   where brand_id = ${p.brand_id} and agent_id = ${p.agent_id} and id = any(${p.ids}::uuid[]) and status = 'active'
   order by id for no key update`,
)

export interface BuriedRow {
  readonly cause: Cause
  /** Null when its history is gone. */
  readonly title: string | null
  readonly body: string | null
  readonly cosine: number | null
}
const buriedText = brandStatement<OfAgent & { text_hash: Buffer }, { cause: Cause }>(
  (p) => sql`select cause from memory.tombstones
   where brand_id = ${p.brand_id} and agent_id = ${p.agent_id} and text_hash = ${p.text_hash} limit 1`,
)
/** The newest are compared word by word, and of more of them the nearest by their vectors. */
const mostCompared = '200'
const mostMeasured = '5000'
const mostNear = '10'
interface Compared extends OfAgent, EmbeddingModel {
  /** Null without vectors. */
  readonly vector: string | null
}
// Vectors of other models or dimensions cannot be compared; the order of conditions is not fixed, that of `case` is.
const buried = brandStatement<Compared, BuriedRow>(
  (p) => sql`with newest as materialized (
     select memory_id, cause, version, row_number() over (order by created_at desc, memory_id) as place,
       case when model = ${p.model} and vector_dims(vector) = ${p.dimension}::int
         then -(vector <#> ${p.vector}::halfvec) end as cosine
     from memory.tombstones where brand_id = ${p.brand_id} and agent_id = ${p.agent_id}
     order by created_at desc, memory_id limit ${mostMeasured}),
   chosen as (
     (select * from newest where place <= ${mostCompared})
     union
     (select * from newest where cosine is not null order by cosine desc limit ${mostNear}))
   select c.cause, c.cosine, h.before ->> 'title' as title, left(h.before ->> 'body', 2000) as body
   from chosen c left join memory.history h
     on h.brand_id = ${p.brand_id} and h.memory_id = c.memory_id and h.version = c.version
   order by c.cosine desc nulls last, c.place`,
  { custom_plan: true },
)

export interface OwnText {
  readonly id: string
  readonly title: string
  readonly body: string
}
const own = brandStatement<OfAgent & { limit: number }, OwnText>(
  (p) => sql`select id, title, left(body, 2000) as body from memory.memories
   where brand_id = ${p.brand_id} and agent_id = ${p.agent_id} and status = 'active'
     and fades_at > (select platform.now())
   order by fades_at desc, id limit ${p.limit}`,
)

export const lockAutomation = (ctx: BrandTx, agent_id: string) => ctx.db.run(lockAgent, { agent_id })
export const lockMemories = (
  ctx: BrandTx,
  wanted: OfAgent & { ids: readonly string[]; hashes: readonly Buffer[] },
) => ctx.db.run(lockRows, wanted)
/** Locked, so that it stays what it is until the commit. */
export const lockAlike = (ctx: BrandTx, agent_id: string, text_hash: Buffer) =>
  ctx.db.first(alike, { agent_id, text_hash })
export const lockNear = (ctx: BrandTx, agent_id: string, ids: readonly string[]) =>
  ctx.db.all(near, { agent_id, ids })
export const findBuried = (ctx: BrandTx, agent_id: string, text_hash: Buffer) =>
  ctx.db.first(buriedText, { agent_id, text_hash })
export const listBuried = (ctx: BrandTx, wanted: Compared) => ctx.db.all(buried, wanted)
/** Those that search could show, the best first. */
export const listOwn = (ctx: BrandCtx, agent_id: string, limit: number) =>
  ctx.db.all(own, { agent_id, limit })
const agentsOf = brandStatement<{ ids: readonly string[] }, OfAgent>(
  (p) => sql`select distinct agent_id from memory.memories
   where brand_id = ${p.brand_id} and id = any(${p.ids}::uuid[]) order by agent_id`,
)
export const listAgentsOf = async (ctx: BrandTx, ids: readonly string[]): Promise<string[]> =>
  (await ctx.db.all(agentsOf, { ids })).map(({ agent_id }) => agent_id)
