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

// Before the first index there is no row, and without one nothing would keep the two apart.
const shown = brandStatement<object, { shown: string }>(
  (p) => sql`select shown::text from memory.code_walks where brand_id = ${p.brand_id}`,
)
const lock = brandStatement<object, { shown: string }>(
  (p) => sql`insert into memory.code_walks (brand_id) values (${p.brand_id})
   on conflict (brand_id) do update set shown = code_walks.shown returning shown::text`,
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
interface Keys {
  readonly memory_ids: readonly string[]
  readonly keys: readonly string[]
}
const forget = brandStatement<Keys & { ids: readonly string[] }, unknown>(
  (
    p,
  ) => sql`delete from memory.code_mentions c where c.brand_id = ${p.brand_id} and c.memory_id = any(${p.ids}::uuid[])
     and not exists (
       select from unnest(${p.memory_ids}::uuid[], ${p.keys}::text[]) as k (memory_id, key)
       where k.memory_id = c.memory_id and k.key = c.key)`,
)
const note = brandStatement<Keys, unknown>(
  (p) => sql`insert into memory.code_mentions (brand_id, memory_id, key)
   select ${p.brand_id}, v.* from unnest(${p.memory_ids}::uuid[], ${p.keys}::text[]) v
   on conflict (brand_id, key, memory_id) do nothing`,
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
export const listQueued = (ctx: BrandCtx, limit: number) => ctx.db.all(queued, { limit })
export const deleteQueued = async (ctx: BrandTx, texts: readonly QueuedText[]) =>
  (await ctx.db.all(done, { ids: texts.map(({ id }) => id), marks: texts.map(({ mark }) => mark) })).map(
    ({ id }) => id,
  )
/** How many indexes have become visible. */
export const countShown = async (ctx: BrandCtx) => (await ctx.db.first(shown, {}))?.shown ?? '0'
export const lockShown = async (ctx: BrandTx) => (await ctx.db.first(lock, {}))?.shown
/** Also holds the row until the commit. */
export const updateShown = (ctx: BrandTx) => ctx.db.run(show, {})
export const lockMemories = async (ctx: BrandTx, ids: readonly string[]) =>
  (await ctx.db.all(hold, { ids })).map(({ id }) => id)
export const deleteUnnamed = (
  ctx: BrandTx,
  given: { ids: readonly string[]; kept_ids: readonly string[]; kept: readonly string[] },
) => ctx.db.run(drop, given)
/** What memories mention, instead of what they have mentioned. */
export async function replaceMentions(ctx: BrandTx, ids: readonly string[], keys: Keys): Promise<void> {
  await ctx.db.run(forget, { ids, ...keys })
  if (keys.keys.length > 0) await ctx.db.run(note, keys)
}
export const insertLinks = (ctx: BrandTx, given: NewLinks) => ctx.db.run(put, given)
export const updateNodes = (ctx: BrandTx, changed: ChangedNodes) => ctx.db.run(follow, changed)
export const listLinks = (ctx: BrandCtx, id: string, limit: number) => ctx.db.all(links, { id, limit })
export const isPending = async (ctx: BrandCtx, id: string) =>
  (await ctx.db.first(waiting, { id }))?.is_pending ?? false
