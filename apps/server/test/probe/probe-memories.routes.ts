import { brandStatement, sql } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import {
  changeMemoryNaively,
  consolidateNaively,
  decideNaively,
  restoreMemoryNaively,
} from './probe-memories.contract.ts'

interface Row {
  readonly title: string
  readonly tags: readonly string[]
}
type Id = { readonly id: string }

const read = brandStatement<Id, Row>(
  (p) => sql`select title, tags from memory.memories where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const write = brandStatement<Id & Row, unknown>(
  (p) => sql`update memory.memories set title = ${p.title}, tags = ${p.tags}
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const add = brandStatement<Id, unknown>(
  (
    p,
  ) => sql`insert into memory.memories (brand_id, id, agent_id, kind, title, body, text_hash, created_by, updated_by)
   select brand_id, memory_id, before ->> 'agent_id', before ->> 'kind', before ->> 'title', before ->> 'body', '', actor,
     actor
   from memory.history where brand_id = ${p.brand_id} and memory_id = ${p.id} and action = 'deleted' limit 1`,
)

interface Tagged {
  readonly agent_id: string
  readonly tag: string
}
const tagged = brandStatement<Tagged, Id>(
  (p) => sql`select id from memory.memories where brand_id = ${p.brand_id} and agent_id = ${p.agent_id}
     and kind = 'fact' and status = 'active' and ${p.tag} = any(tags)`,
)
const pattern = brandStatement<{ ids: readonly string[] }, unknown>(
  (
    p,
  ) => sql`insert into memory.memories (brand_id, id, agent_id, kind, title, body, text_hash, created_by, updated_by)
   select brand_id, gen_random_uuid(), agent_id, 'pattern', title, body, '', created_by, updated_by
   from memory.memories where brand_id = ${p.brand_id} and id = any(${p.ids}::uuid[]) limit 1`,
)
const merged = brandStatement<{ ids: readonly string[] }, unknown>(
  (p) =>
    sql`update memory.memories set status = 'merged' where brand_id = ${p.brand_id} and id = any(${p.ids}::uuid[])`,
)

interface Proposal {
  readonly state: string
  readonly kind: string
  readonly memory_id: string | null
  /** Whether the memory has the text that the change was made for. */
  readonly is_base: boolean
}
const readProposal = brandStatement<Id, Proposal>(
  (p) => sql`select p.state, p.kind, p.memory_id, coalesce(m.text_hash = p.base_hash, false) as is_base
   from memory.proposals p left join memory.memories m on m.brand_id = p.brand_id and m.id = p.memory_id
   where p.brand_id = ${p.brand_id} and p.id = ${p.id}`,
)
const carryOut = brandStatement<Id, unknown>(
  (
    p,
  ) => sql`insert into memory.memories (brand_id, id, agent_id, kind, title, body, text_hash, created_by, updated_by)
   select brand_id, gen_random_uuid(), agent_id, 'fact', content ->> 'title', content ->> 'body', '', '{}', '{}'
   from memory.proposals where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const applyChange = brandStatement<Id, unknown>(
  (p) => sql`update memory.memories m set body = p.content ->> 'body' from memory.proposals p
   where p.brand_id = ${p.brand_id} and p.id = ${p.id} and m.brand_id = p.brand_id and m.id = p.memory_id`,
)
const note = brandStatement<Id & { state: string }, unknown>(
  (p) => sql`update memory.proposals set state = ${p.state}, decided_by = '{}', decided_at = platform.now()
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)

export const probeMemoriesMounted = () => [
  handle(changeMemoryNaively, async (ctx, { params, body }) => {
    const id = params.memory_id
    const before = await ctx.db.first(read, { id })
    if (before)
      await ctx.db.run(write, { id, title: body.title ?? before.title, tags: body.tags ?? before.tags })
    return {}
  }),
  handle(restoreMemoryNaively, async (ctx, { params }) => {
    const id = params.memory_id
    if (!(await ctx.db.first(read, { id }))) await ctx.db.run(add, { id })
    return {}
  }),
  handle(consolidateNaively, async (ctx, { body }) => {
    const found = await ctx.db.all(tagged, body)
    if (found.length < 3) return {}
    const ids = found.map(({ id }) => id)
    await ctx.db.run(pattern, { ids })
    await ctx.db.run(merged, { ids })
    return {}
  }),
  handle(decideNaively, async (ctx, { params, body }) => {
    const id = params.proposal_id
    const proposal = await ctx.db.first(readProposal, { id })
    if (proposal?.state !== 'open') return {}
    if (body.state === 'approved' && proposal.kind === 'new') await ctx.db.run(carryOut, { id })
    if (body.state === 'approved' && proposal.is_base) await ctx.db.run(applyChange, { id })
    await ctx.db.run(note, { id, state: body.state })
    return {}
  }),
]
