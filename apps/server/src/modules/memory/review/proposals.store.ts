import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import type {
  Kept,
  ProposalKind,
  ProposalReason,
  ProposalState,
} from '@crewhall/contracts/memory/proposal-fields.ts'
import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, type Named, sql, statement } from '#platform/db/statement.ts'
import type { Origin } from '../automation/origin.rules.ts'
import type { Draft } from '../memories/change.rules.ts'

export interface ProposalRow {
  readonly id: string
  readonly agent_id: string
  readonly kind: ProposalKind
  readonly reason: ProposalReason
  readonly memory_id: string | null
  readonly other_memory_id: string | null
  readonly content: Partial<Draft> & { readonly status?: 'active' | 'archived' }
  readonly base_hash: Buffer | null
  readonly origin: Origin | null
  readonly state: ProposalState
  readonly kept: Kept | null
  readonly made_memory_id: string | null
  readonly decided_by: Actor | null
  readonly decided_at: string | null
  readonly created_at: string
}
const columns = `id, agent_id, kind, reason, memory_id, other_memory_id, content, base_hash, origin, state, kept,
     made_memory_id, decided_by, decided_at, created_at`

interface Asked {
  readonly agent_id: string
  readonly digest: Buffer
}
const known = brandStatement<Asked, { id: string; state: ProposalState }>(
  (p) => sql`select id, state from memory.proposals
   where brand_id = ${p.brand_id} and agent_id = ${p.agent_id} and digest = ${p.digest} and state in ('open', 'rejected')
   order by state limit 1`,
)
const countOpen = brandStatement<{ agent_id: string; limit: number }, { count: number }>(
  (p) => sql`select count(*)::int as count from (select from memory.proposals
   where brand_id = ${p.brand_id} and agent_id = ${p.agent_id} and state = 'open' limit ${p.limit}) p`,
)
interface NewProposal extends Asked {
  readonly id: string
  readonly kind: ProposalKind
  readonly reason: ProposalReason
  readonly memory_id: string | null
  readonly other_memory_id: string | null
  readonly content: string
  readonly base_hash: Buffer | null
  readonly origin: string | null
  readonly conversation_id: string | null
  readonly source_id: string | null
}
const add = brandStatement<NewProposal, unknown>(
  (
    p,
  ) => sql`insert into memory.proposals (brand_id, id, agent_id, kind, reason, memory_id, other_memory_id, content,
     digest, base_hash, origin, conversation_id, source_id)
   values (${p.brand_id}, ${p.id}, ${p.agent_id}, ${p.kind}, ${p.reason}, ${p.memory_id}, ${p.other_memory_id},
     ${p.content}::jsonb, ${p.digest}, ${p.base_hash}, ${p.origin}::jsonb, ${p.conversation_id},
     ${p.source_id})`,
)

type Id = { readonly id: string }
const one = (p: Named<Id & { brand_id: number }>) =>
  sql`select ${columns} from memory.proposals where brand_id = ${p.brand_id} and id = ${p.id}`
const find = brandStatement<Id, ProposalRow>(one)
const lock = brandStatement<Id, ProposalRow>((p) => sql`${one(p)} for update`)
interface Decided extends Id {
  readonly state: ProposalState
  readonly kept: Kept | null
  readonly made_memory_id: string | null
  readonly actor: string
}
const decide = brandStatement<Decided, ProposalRow>(
  (
    p,
  ) => sql`update memory.proposals set state = ${p.state}, kept = ${p.kept}, made_memory_id = ${p.made_memory_id},
     decided_by = ${p.actor}::jsonb, decided_at = platform.now()
   where brand_id = ${p.brand_id} and id = ${p.id} returning ${columns}`,
)
const closeOfMemory = brandStatement<Id & { actor: string }, unknown>(
  (
    p,
  ) => sql`update memory.proposals set state = 'rejected', decided_by = ${p.actor}::jsonb, decided_at = platform.now()
   where brand_id = ${p.brand_id} and state = 'open' and (memory_id = ${p.id} or other_memory_id = ${p.id})`,
)
const close = (field: 'conversation_id' | 'source_id') =>
  brandStatement<{ of: string; actor: string }, Id>(
    (
      p,
    ) => sql`update memory.proposals set state = 'rejected', decided_by = ${p.actor}::jsonb, decided_at = platform.now()
     where brand_id = ${p.brand_id} and state = 'open' and ${field} = ${p.of} returning id`,
  )
const closeOfConversation = close('conversation_id')
const closeOfSource = close('source_id')

interface ListParams {
  readonly states: readonly ProposalState[]
  readonly kinds: readonly ProposalKind[]
  readonly before: string
  readonly limit: number
}
const listOf = (whose: ReturnType<typeof sql>, p: Named<ListParams>) =>
  sql`select m.* from unnest(${p.states}::text[]) as s (state) cross join unnest(${p.kinds}::text[]) as k (kind)
   cross join lateral (
     select ${columns} from memory.proposals
     where ${whose} and state = s.state and kind = k.kind and id < ${p.before}
     order by id desc limit ${p.limit}) m
   order by m.id desc limit ${p.limit}`
const listAll = brandStatement<ListParams, ProposalRow>((p) => listOf(sql`brand_id = ${p.brand_id}`, p))
const listAgents = brandStatement<ListParams & { agent_id: string }, ProposalRow>((p) =>
  listOf(sql`brand_id = ${p.brand_id} and agent_id = ${p.agent_id}`, p),
)

// Decided long ago.
const sweep = statement<{ days: number; limit: number }, { count: number }>(
  (p) => sql`with old as materialized (
     select brand_id, id from memory.proposals
     where state <> 'open' and decided_at < platform.now() - make_interval(days => ${p.days}::int) limit ${p.limit}),
   dropped as (
     delete from memory.proposals p using old o where p.brand_id = o.brand_id and p.id = o.id)
   select count(*)::int as count from old`,
)

/** The same, if it is open or was rejected. */
export const findAsked = (ctx: BrandTx, asked: Asked) => ctx.db.first(known, asked)
export const countOpenUpTo = async (ctx: BrandTx, agent_id: string, limit: number): Promise<number> =>
  (await ctx.db.first(countOpen, { agent_id, limit }))?.count ?? 0
export const insertProposal = (ctx: BrandTx, row: NewProposal) => ctx.db.run(add, row)
export const findProposal = (ctx: BrandCtx, id: string) => ctx.db.first(find, { id })
export const lockProposal = (ctx: BrandTx, id: string) => ctx.db.first(lock, { id })
export const updateDecided = (ctx: BrandTx, decided: Decided) => ctx.db.first(decide, decided)
/** Of a memory that is deleted; there is nothing left to decide. */
export const updateClosedOf = (ctx: BrandTx, id: string, actor: Actor) =>
  ctx.db.run(closeOfMemory, { id, actor: JSON.stringify(actor) })
/** What a conversation or a source has asked. */
export const updateWithdrawn = (
  ctx: BrandTx,
  which: { readonly conversation_id: string } | { readonly source_id: string },
  actor: Actor,
) =>
  'source_id' in which
    ? ctx.db.all(closeOfSource, { of: which.source_id, actor: JSON.stringify(actor) })
    : ctx.db.all(closeOfConversation, { of: which.conversation_id, actor: JSON.stringify(actor) })
export const listProposals = (ctx: BrandCtx, agent_id: string | undefined, page: ListParams) =>
  agent_id === undefined ? ctx.db.all(listAll, page) : ctx.db.all(listAgents, { ...page, agent_id })
export const deleteOldProposals = async (ctx: SystemCtx, days: number, limit: number): Promise<number> =>
  (await ctx.overBrands().db.first(sweep, { days, limit }))?.count ?? 0
