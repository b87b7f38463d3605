import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

export type Cause = 'deleted' | 'corrected' | 'rejected'

interface Burial {
  readonly id: string
  readonly cause: Cause
  /** The change that takes the text away. */
  readonly version: number
  readonly actor: string
}
/** Of each memory. A program that edits one in a loop must not fill the table. */
const keptTexts = '20'
const bury = brandStatement<Burial, unknown>(
  (p) => sql`with dropped as (
     delete from memory.tombstones where brand_id = ${p.brand_id} and memory_id = ${p.id}
       and cause = 'corrected' and version <= ${p.version}::int - ${keptTexts})
   insert into memory.tombstones (brand_id, agent_id, memory_id, text_hash, cause, version, model, vector, deleted_by)
   select m.brand_id, m.agent_id, m.id, m.text_hash, ${p.cause}, ${p.version}, e.model, e.vector, ${p.actor}::jsonb
   from memory.memories m left join lateral (
     select model, vector from memory.embeddings e where e.brand_id = m.brand_id and e.memory_id = m.id
     order by e.created_at desc limit 1) e on true
   where m.brand_id = ${p.brand_id} and m.id = ${p.id}
   on conflict (brand_id, memory_id, text_hash) do update set cause = excluded.cause, version = excluded.version,
     model = excluded.model, vector = excluded.vector, deleted_by = excluded.deleted_by`,
)
interface Text {
  readonly id: string
  readonly text_hash: Buffer
}
const buryText = brandStatement<Text & { agent_id: string; actor: string }, unknown>(
  (p) => sql`insert into memory.tombstones (brand_id, agent_id, memory_id, text_hash, cause, deleted_by)
   values (${p.brand_id}, ${p.agent_id}, ${p.id}, ${p.text_hash}, 'rejected', ${p.actor}::jsonb)
   on conflict (brand_id, memory_id, text_hash) do nothing`,
)
const unbury = brandStatement<Text, unknown>(
  (p) => sql`delete from memory.tombstones where brand_id = ${p.brand_id} and memory_id = ${p.id}
     and (cause = 'deleted' or text_hash = ${p.text_hash})`,
)

/** Before the text is deleted or replaced, while it and its vector are there. */
export const insertTombstone = (
  ctx: BrandTx,
  { actor, ...burial }: Omit<Burial, 'actor'> & { actor: Actor },
) => ctx.db.run(bury, { ...burial, actor: JSON.stringify(actor) })
/** Of a text that never was a memory: `id` is that of the proposal. */
export const insertRejected = (ctx: BrandTx, { actor, ...text }: Text & { agent_id: string; actor: Actor }) =>
  ctx.db.run(buryText, { ...text, actor: JSON.stringify(actor) })
/** The memory is there again, with this text. */
export const deleteTombstones = (ctx: BrandTx, id: string, text_hash: Buffer) =>
  ctx.db.run(unbury, { id, text_hash })
