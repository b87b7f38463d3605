import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { deletingRows } from '#platform/db/brand-rows.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

interface Bite {
  readonly person: number
  /** Matches the text form of an actor. May find too many rows, never too few. */
  readonly named: string
  readonly bite: number
}

// Nobody has changed the memory, so its version and times stay.
const memories = brandStatement<Bite & { id: string }, { id: string }>(
  (p) => sql`with bitten as materialized (
     select id from memory.memories where brand_id = ${p.brand_id} and id > ${p.id}::uuid order by id limit ${p.bite}),
   redacted as (
     update memory.memories m set created_by = platform.without_person(m.created_by, ${p.person}, '{}'),
       updated_by = platform.without_person(m.updated_by, ${p.person}, '{}')
     from bitten b where m.brand_id = ${p.brand_id} and m.id = b.id
       and concat(m.created_by, m.updated_by) ~ ${p.named})
   select id from bitten order by id desc limit 1`,
)
const history = brandStatement<Bite & { id: string; version: number }, { id: string; version: number }>(
  (p) => sql`with bitten as materialized (
     select memory_id, version from memory.history
     where brand_id = ${p.brand_id} and (memory_id, version) > (${p.id}::uuid, ${p.version})
     order by memory_id, version limit ${p.bite}),
   redacted as (
     update memory.history h set actor = platform.without_person(h.actor, ${p.person}, '{}'),
       before = case when h.before is null then null else jsonb_set(h.before, '{created_by}',
         platform.without_person(h.before -> 'created_by', ${p.person}, '{}')) end
     from bitten b where h.brand_id = ${p.brand_id} and h.memory_id = b.memory_id and h.version = b.version
       and concat(h.actor, h.before -> 'created_by') ~ ${p.named})
   select memory_id as id, version from bitten order by memory_id desc, version desc limit 1`,
)
const tombstones = brandStatement<Bite & { id: string }, { id: string }>(
  (p) => sql`with bitten as materialized (
     select distinct memory_id from memory.tombstones where brand_id = ${p.brand_id} and memory_id > ${p.id}::uuid
     order by memory_id limit ${p.bite}),
   redacted as (
     update memory.tombstones t set deleted_by = platform.without_person(t.deleted_by, ${p.person}, '{}')
     from bitten b where t.brand_id = ${p.brand_id} and t.memory_id = b.memory_id and t.deleted_by::text ~ ${p.named})
   select memory_id as id from bitten order by memory_id desc limit 1`,
)
const proposals = brandStatement<Bite & { id: string }, { id: string }>(
  (p) => sql`with bitten as materialized (
     select id from memory.proposals where brand_id = ${p.brand_id} and id > ${p.id}::uuid order by id limit ${p.bite}),
   redacted as (
     update memory.proposals r set decided_by = platform.without_person(r.decided_by, ${p.person}, '{}')
     from bitten b where r.brand_id = ${p.brand_id} and r.id = b.id and r.decided_by::text ~ ${p.named})
   select id from bitten order by id desc limit 1`,
)

const rows = [
  deletingRows('memory.proposals', 'id'),
  deletingRows('memory.provenance', 'memory_id', 'n'),
  deletingRows('memory.tombstones', 'memory_id', 'text_hash'),
  deletingRows('memory.history', 'memory_id', 'version'),
  deletingRows('memory.merges', 'source_id'),
  deletingRows('memory.tag_uses', 'agent_id', 'tag', 'memory_id'),
  deletingRows('memory.code_links', 'memory_id', 'mention'),
  deletingRows('memory.code_mentions', 'key', 'memory_id'),
  deletingRows('memory.code_link_queue', 'memory_id'),
  deletingRows('memory.embedding_queue', 'memory_id'),
  deletingRows('memory.embeddings', 'memory_id', 'model'),
  deletingRows('memory.memories', 'id'),
  deletingRows('memory.code_projects', 'project_id'),
  deletingRows('memory.code_walks'),
  deletingRows('memory.export_marks', 'agent_id'),
  deletingRows('memory.exports', 'agent_id'),
]

/** Each returns the last row of the batch. */
export const redactMemories = (ctx: BrandCtx, bite: Bite & { id: string }) => ctx.db.first(memories, bite)
export const redactHistory = (ctx: BrandCtx, bite: Bite & { id: string; version: number }) =>
  ctx.db.first(history, bite)
export const redactTombstones = (ctx: BrandCtx, bite: Bite & { id: string }) => ctx.db.first(tombstones, bite)
export const redactProposals = (ctx: BrandCtx, bite: Bite & { id: string }) => ctx.db.first(proposals, bite)
/** In dependency order; each deletes at most `limit` rows. */
export const deletingAll = rows.map((each) => (ctx: BrandCtx, limit: number) => ctx.db.run(each, { limit }))
