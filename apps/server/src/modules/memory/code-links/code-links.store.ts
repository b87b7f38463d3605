import type { CodeLink } from '@crewhall/contracts/memory/code-links.ts'
import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'

export interface MemoryText {
  readonly id: string
  readonly title: string
  readonly body: string
}
export type QueuedText = MemoryText & { readonly mark: string }

const queuedBrand = statement<{ after: number }, { brand_id: number }>(
  (p) =>
    sql`select brand_id from memory.code_link_queue where brand_id > ${p.after} order by brand_id limit 1`,
)
const queued = brandStatement<{ limit: number }, QueuedText>(
  (p) => sql`select q.memory_id as id, q.mark, m.title, m.body from memory.code_link_queue q
   join memory.memories m on m.brand_id = ${p.brand_id} and m.id = q.memory_id
   where q.brand_id = ${p.brand_id} order by q.memory_id limit ${p.limit}`,
)
const done = brandStatement<{ ids: readonly string[]; marks: readonly string[] }, { id: string }>(
  (p) => sql`delete from memory.code_link_queue q
   using unnest(${p.ids}::uuid[], ${p.marks}::uuid[]) as c (memory_id, mark)
   where q.brand_id = ${p.brand_id} and q.memory_id = c.memory_id and q.mark = c.mark returning q.memory_id as id`,
)

export interface Walk {
  readonly shown: string
  readonly walked: string
  readonly target: string
  readonly at_memory: string
}
const walkColumns = 'code_walks.shown::text, walked::text, target::text, at_memory'
const dueBrand = statement<{ after: number }, { brand_id: number }>(
  (p) => sql`select brand_id from memory.code_walks where walked < shown and brand_id > ${p.after}
   order by brand_id limit 1`,
)
const walk = brandStatement<object, Walk>(
  (p) => sql`select ${walkColumns} from memory.code_walks where brand_id = ${p.brand_id}`,
)
// Before the first index there is no row, and without one nothing would keep the two apart.
const lock = brandStatement<object, Walk>(
  (p) => sql`insert into memory.code_walks (brand_id) values (${p.brand_id})
   on conflict (brand_id) do update set shown = code_walks.shown returning ${walkColumns}`,
)
const bite = brandStatement<{ after: string; limit: number }, MemoryText>(
  (p) => sql`select id, title, body from memory.memories
   where brand_id = ${p.brand_id} and id > ${p.after}::uuid order by id limit ${p.limit}`,
)
const step = brandStatement<Pick<Walk, 'walked' | 'target' | 'at_memory'>, unknown>(
  (
    p,
  ) => sql`update memory.code_walks set walked = ${p.walked}::text::bigint, target = ${p.target}::text::bigint,
     at_memory = ${p.at_memory}::uuid where brand_id = ${p.brand_id}`,
)
const show = brandStatement<object, unknown>(
  (p) => sql`insert into memory.code_walks (brand_id, shown) values (${p.brand_id}, 1)
   on conflict (brand_id) do update set shown = code_walks.shown + 1`,
)

// Memories that were deleted meanwhile are not among them.
const hold = brandStatement<{ ids: readonly string[] }, { id: string }>(
  (p) => sql`select id from memory.memories where brand_id = ${p.brand_id} and id = any(${p.ids}::uuid[])
   order by id for key share`,
)
const drop = brandStatement<
  { ids: readonly string[]; kept_ids: readonly string[]; kept: readonly string[] },
  unknown
>(
  (
    p,
  ) => sql`delete from memory.code_links l where l.brand_id = ${p.brand_id} and l.memory_id = any(${p.ids}::uuid[])
     and not exists (
       select from unnest(${p.kept_ids}::uuid[], ${p.kept}::text[]) as k (memory_id, mention)
       where k.memory_id = l.memory_id and k.mention = l.mention)`,
)
export interface NewLinks {
  readonly memory_ids: readonly string[]
  readonly mentions: readonly string[]
  readonly project_ids: readonly string[]
  readonly nids: readonly number[]
  readonly node_ids: readonly string[]
  readonly kinds: readonly string[]
  readonly paths: readonly string[]
  readonly symbols: readonly string[]
}
// Code that is still there keeps its link, also if it has moved and something else has its old name now.
const put = brandStatement<NewLinks, unknown>(
  (
    p,
  ) => sql`insert into memory.code_links (brand_id, memory_id, mention, project_id, nid, node_id, kind, path, symbol)
   select ${p.brand_id}, v.* from unnest(${p.memory_ids}::uuid[], ${p.mentions}::text[], ${p.project_ids}::uuid[],
     ${p.nids}::int[], ${p.node_ids}::uuid[], ${p.kinds}::text[], ${p.paths}::text[], ${p.symbols}::text[]) v
   on conflict (brand_id, memory_id, mention) do update set project_id = excluded.project_id, nid = excluded.nid,
     node_id = excluded.node_id, kind = excluded.kind, path = excluded.path, symbol = excluded.symbol,
     removed_in = null, linked_at = platform.now()
   where code_links.removed_in is not null`,
)

export interface ChangedNodes {
  readonly nids: readonly number[]
  readonly paths: readonly string[]
  readonly symbols: readonly string[]
  readonly removed_in: readonly (string | null)[]
}
const follow = brandStatement<ChangedNodes, unknown>(
  (p) => sql`update memory.code_links l set path = c.path, symbol = c.symbol, removed_in = c.removed_in
   from unnest(${p.nids}::int[], ${p.paths}::text[], ${p.symbols}::text[], ${p.removed_in}::text[])
     as c (nid, path, symbol, removed_in)
   where l.brand_id = ${p.brand_id} and l.nid = c.nid`,
)

export type LinkRow = Omit<CodeLink, 'place'> & { readonly path: string; readonly symbol: string }
const links = brandStatement<{ id: string; limit: number }, LinkRow>(
  (
    p,
  ) => sql`select mention, project_id, node_id, kind, path, symbol, removed_in, linked_at from memory.code_links
   where brand_id = ${p.brand_id} and memory_id = ${p.id} order by mention limit ${p.limit}`,
)
const waiting = brandStatement<{ id: string }, { is_pending: boolean }>(
  (p) => sql`select exists (
     select from memory.code_link_queue where brand_id = ${p.brand_id} and memory_id = ${p.id}) as is_pending`,
)

/** The next workspace after this one with a memory to look at. */
export const findQueuedBrand = async (ctx: SystemCtx, after: number) =>
  (await ctx.overBrands().db.first(queuedBrand, { after }))?.brand_id
/** The next workspace after this one whose memories have to be looked at again. */
export const findWalkingBrand = async (ctx: SystemCtx, after: number) =>
  (await ctx.overBrands().db.first(dueBrand, { after }))?.brand_id
export const listQueued = (ctx: BrandCtx, limit: number) => ctx.db.all(queued, { limit })
export const listAfter = (ctx: BrandCtx, after: string, limit: number) => ctx.db.all(bite, { after, limit })
export const deleteQueued = async (ctx: BrandTx, texts: readonly QueuedText[]) =>
  (await ctx.db.all(done, { ids: texts.map(({ id }) => id), marks: texts.map(({ mark }) => mark) })).map(
    ({ id }) => id,
  )
export const findWalk = (ctx: BrandCtx) => ctx.db.first(walk, {})
export const lockWalk = (ctx: BrandTx) => ctx.db.first(lock, {})
export const updateWalk = (ctx: BrandTx, at: Pick<Walk, 'walked' | 'target' | 'at_memory'>) =>
  ctx.db.run(step, at)
/** Also holds the row until the commit. */
export const updateShown = (ctx: BrandTx) => ctx.db.run(show, {})
export const lockMemories = async (ctx: BrandTx, ids: readonly string[]) =>
  (await ctx.db.all(hold, { ids })).map(({ id }) => id)
export const deleteUnnamed = (
  ctx: BrandTx,
  given: { ids: readonly string[]; kept_ids: readonly string[]; kept: readonly string[] },
) => ctx.db.run(drop, given)
export const insertLinks = (ctx: BrandTx, given: NewLinks) => ctx.db.run(put, given)
export const updateNodes = (ctx: BrandTx, changed: ChangedNodes) => ctx.db.run(follow, changed)
export const listLinks = (ctx: BrandCtx, id: string, limit: number) => ctx.db.all(links, { id, limit })
export const isPending = async (ctx: BrandCtx, id: string) =>
  (await ctx.db.first(waiting, { id }))?.is_pending ?? false
