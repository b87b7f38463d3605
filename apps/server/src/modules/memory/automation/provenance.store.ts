import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'
import type { Origin } from './origin.rules.ts'

export type Decision = 'new' | 'same' | 'supersedes' | 'conflicts'

export interface ProvenanceRow extends Origin {
  readonly n: number
  readonly decision: Decision
  readonly other_memory_id: string | null
  readonly created_at: string
}

interface Evidence extends Origin {
  readonly id: string
  readonly decision: Decision
  readonly other_memory_id: string | null
}
/** Of each memory. More says nothing more. */
const mostEvidence = '100'
// Under the lock of the agent, so that no two take the same number.
const add = brandStatement<Evidence, { conversations: number }>(
  (p) => sql`with known as (
     select coalesce(max(n), 0) as last, count(*)::int as count from memory.provenance
     where brand_id = ${p.brand_id} and memory_id = ${p.id})
   insert into memory.provenance (brand_id, memory_id, n, conversation_id, source_id, source_type, decision,
     other_memory_id, message_seqs, quote, model, prompt_version)
   select ${p.brand_id}, ${p.id}, last + 1, ${p.conversation_id}, ${p.source_id}, ${p.source_type}, ${p.decision},
     ${p.other_memory_id}, ${p.message_seqs}::int[], ${p.quote}, ${p.model}, ${p.prompt_version}
   from known where count < ${mostEvidence}
   on conflict (brand_id, memory_id, conversation_id) do nothing
   returning n as conversations`,
)
const list = brandStatement<{ id: string }, ProvenanceRow>(
  (
    p,
  ) => sql`select n, conversation_id, source_id, source_type, decision, other_memory_id, message_seqs, quote, model,
     prompt_version, created_at
   from memory.provenance where brand_id = ${p.brand_id} and memory_id = ${p.id} order by n`,
)
const remove = brandStatement<{ id: string; conversation_ids: readonly string[] }, unknown>(
  (p) => sql`delete from memory.provenance where brand_id = ${p.brand_id} and memory_id = ${p.id}
     and conversation_id = any(${p.conversation_ids}::uuid[])`,
)

export interface Written {
  readonly memory_id: string
  /** The conversations in question that have a part in it, and whether others have too. */
  readonly conversation_ids: readonly string[]
  readonly has_others: boolean
  /** Whether it was written because one of them said so, by automation or by a person who approved of it. */
  readonly is_origin: boolean
  readonly superseded: readonly string[]
}
interface Bite {
  readonly of: string
  readonly after: string
  readonly limit: number
}
const written = (column: 'conversation_id' | 'source_id') =>
  brandStatement<Bite, Written>(
    (p) => sql`with bitten as materialized (
       select distinct memory_id from memory.provenance
       where brand_id = ${p.brand_id} and ${column} = ${p.of} and memory_id > ${p.after}
       order by memory_id limit ${p.limit})
     select memory_id,
       array_agg(v.conversation_id) filter (where v.${column} = ${p.of}) as conversation_ids,
       coalesce(bool_or(v.${column} <> ${p.of}), false) as has_others,
       coalesce(bool_or(v.${column} = ${p.of} and v.decision in ('new', 'conflicts')), false) as is_origin,
       coalesce(array_agg(v.other_memory_id)
         filter (where v.${column} = ${p.of} and v.decision = 'supersedes'), '{}') as superseded
     from bitten b join memory.provenance v using (memory_id) where v.brand_id = ${p.brand_id}
     group by memory_id order by memory_id`,
  )
const ofConversation = written('conversation_id')
const ofSource = written('source_id')

export type Which = { readonly conversation_id: string } | { readonly source_id: string }

/** How many conversations have said it now; undefined if this one has said it before, or more would say nothing more. */
export const insertProvenance = async (ctx: BrandTx, evidence: Evidence): Promise<number | undefined> =>
  (await ctx.db.first(add, evidence))?.conversations
export const listProvenance = (ctx: BrandCtx, id: string) => ctx.db.all(list, { id })
export const deleteProvenance = (ctx: BrandTx, id: string, conversation_ids: readonly string[]) =>
  ctx.db.run(remove, { id, conversation_ids })
/** Memories that one of these has a part in, by id. */
export const listWritten = (ctx: BrandTx, which: Which, after: string, limit: number) =>
  'source_id' in which
    ? ctx.db.all(ofSource, { of: which.source_id, after, limit })
    : ctx.db.all(ofConversation, { of: which.conversation_id, after, limit })
