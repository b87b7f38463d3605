import { brandStatement, sql } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import { changeMemoryNaively, consolidateNaively, restoreMemoryNaively } from './probe-memories.contract.ts'

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
]
