import type { BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

type Id = { readonly id: string }
const empty = brandStatement<Id, unknown>(
  (p) => sql`update memory.history set before = null, reason = null
   where brand_id = ${p.brand_id} and memory_id = ${p.id} and (before is not null or reason is not null)`,
)
// The digest goes as well: that of a password is guessed by trying.
const unbury = brandStatement<Id, unknown>(
  (p) => sql`delete from memory.tombstones where brand_id = ${p.brand_id} and memory_id = ${p.id}`,
)
const unquote = brandStatement<Id, unknown>(
  (p) => sql`delete from memory.provenance where brand_id = ${p.brand_id} and memory_id = ${p.id}`,
)
const unpropose = brandStatement<Id, unknown>(
  (p) => sql`delete from memory.proposals
   where brand_id = ${p.brand_id} and ${p.id}::uuid in (memory_id, other_memory_id, made_memory_id)`,
)
// Routes of these tell what a memory says.
const withdraw = brandStatement<Id, unknown>(
  (p) =>
    sql`select platform.withdraw_answers(${p.brand_id}::int, '{memory,conversations,lessons}', ${p.id}::text)`,
)

/** All that tells what the memory said. */
export async function deleteTexts(ctx: BrandTx, id: string): Promise<void> {
  for (const each of [empty, unbury, unquote, unpropose, withdraw]) await ctx.db.run(each, { id })
}
