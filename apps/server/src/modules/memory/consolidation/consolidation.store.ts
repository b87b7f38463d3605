import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, type Named, sql, statement } from '#platform/db/statement.ts'
import { type MemoryRow, wholeMemory } from '../memories/memories.store.ts'

export interface Tagged {
  readonly agent_id: string
  /** Folded. */
  readonly tag: string
}
type Ids = { readonly ids: readonly string[] }
type OfTag = Named<Tagged & { brand_id: number }>

const next = statement<{ after: number }, Tagged & { brand_id: number }>(
  (p) => sql`select brand_id, agent_id, tag from memory.tag_uses
   where brand_id > ${p.after} and is_due and (leased_until is null or leased_until <= platform.now())
   order by brand_id, agent_id, tag limit 1`,
)

const nextStale = statement<{ after: number }, { brand_id: number; pattern_id: string }>(
  (p) => sql`select brand_id, pattern_id from memory.merges
   where brand_id > ${p.after} and is_stale order by brand_id, pattern_id limit 1`,
)

// Whoever merges or un-merges memories of an agent. Tried, and not waited for: what is due stays due.
const key = (p: Named<{ brand_id: number; agent_id: string }>) =>
  sql`hashtext('memory.merges'), hashtext(${p.brand_id}::int || ' ' || ${p.agent_id})`
const tryLock = brandStatement<{ agent_id: string }, { is_locked: boolean }>(
  (p) => sql`select pg_try_advisory_xact_lock(${key(p)}) as is_locked`,
)
const lock = brandStatement<{ agent_id: string }, unknown>(
  (p) => sql`select pg_advisory_xact_lock(${key(p)})`,
)

const ofTag = (p: OfTag) => sql`brand_id = ${p.brand_id} and agent_id = ${p.agent_id} and tag = ${p.tag}`
const claim = brandStatement<
  Tagged & { limit: number; lease_seconds: number },
  { count: number; is_early: boolean }
>(
  (p) => sql`with due as materialized (
     select memory_id from memory.tag_uses where ${ofTag(p)} and is_due limit ${p.limit} for update skip locked),
   claimed as (
     update memory.tag_uses u set leased_until = platform.now() + make_interval(secs => ${p.lease_seconds}::int)
     from due d where ${ofTag(p)} and u.memory_id = d.memory_id
       and not exists (select from memory.tag_uses o where o.brand_id = ${p.brand_id} and o.agent_id = ${p.agent_id}
         and o.tag = ${p.tag} and o.leased_until is not null and o.leased_until > platform.now())
     returning u.was_early)
   select count(*)::int as count, coalesce(bool_or(was_early), false) as is_early from claimed`,
)
const release = brandStatement<Tagged & { is_due: boolean }, unknown>(
  (p) => sql`update memory.tag_uses set leased_until = null, is_due = ${p.is_due}
   where ${ofTag(p)} and leased_until is not null`,
)

// What search no longer shows must not come back in a pattern.
const open = brandStatement<Tagged & { limit: number }, MemoryRow>(
  (p) => sql`select ${wholeMemory} from memory.memories where brand_id = ${p.brand_id}
     and fades_at > (select platform.now()) and id in (
       select memory_id from memory.tag_uses where ${ofTag(p)} and is_open order by memory_id desc limit ${p.limit})
   order by id`,
)
const use = brandStatement<Tagged & { most: number }, { tagged: number; memories: number }>(
  (p) => sql`with used as (
     select count(*)::int as tagged from (select from memory.tag_uses where ${ofTag(p)} limit ${p.most}) u)
   select tagged, (
     select count(*)::int from (select from memory.memories where brand_id = ${p.brand_id} and agent_id = ${p.agent_id}
       and status = 'active' limit greatest(51, (select tagged * 5 from used))) m) as memories
   from used`,
)

// The last one only: those before it are full, or a person's.
const growing = brandStatement<Tagged, { id: string }>(
  (p) => sql`select pattern_id as id from memory.merges where ${ofTag(p)} and undone_at is null
   order by pattern_id desc limit 1`,
)
const some = (p: Named<Ids & { brand_id: number }>) =>
  sql`select ${wholeMemory} from memory.memories where brand_id = ${p.brand_id} and id = any(${p.ids}::uuid[])
   order by id`
const list = brandStatement<Ids, MemoryRow>(some)
const lockAll = brandStatement<Ids, MemoryRow>((p) => sql`${some(p)} for no key update`)
const add = brandStatement<Tagged & Ids & { pattern_id: string }, unknown>(
  (p) => sql`insert into memory.merges (brand_id, source_id, pattern_id, agent_id, tag)
   select ${p.brand_id}, id, ${p.pattern_id}, ${p.agent_id}, ${p.tag} from unnest(${p.ids}::uuid[]) as s (id)`,
)
const undo = brandStatement<{ pattern_id: string }, { source_id: string }>(
  (p) => sql`update memory.merges set undone_at = platform.now()
   where brand_id = ${p.brand_id} and pattern_id = ${p.pattern_id} and undone_at is null returning source_id`,
)
const fresh = brandStatement<{ pattern_id: string }, unknown>(
  (p) => sql`update memory.merges set is_stale = false
   where brand_id = ${p.brand_id} and pattern_id = ${p.pattern_id} and is_stale`,
)
const ofPattern = brandStatement<{ pattern_id: string }, Tagged>(
  (
    p,
  ) => sql`select agent_id, tag from memory.merges where brand_id = ${p.brand_id} and pattern_id = ${p.pattern_id}
   limit 1`,
)
const merged = brandStatement<{ id: string }, unknown>(
  (p) =>
    sql`select 1 from memory.merges where brand_id = ${p.brand_id} and source_id = ${p.id} and undone_at is null`,
)

/** A tag that somebody has to look at, of the next workspace after this one that has any. */
export const findDue = (ctx: SystemCtx, after: number) => ctx.overBrands().db.first(next, { after })
/** The same for a pattern that has to be written anew. */
export const findStale = (ctx: SystemCtx, after: number) => ctx.overBrands().db.first(nextStale, { after })
export const tryLockAgent = async (ctx: BrandTx, agent_id: string): Promise<boolean> =>
  (await ctx.db.first(tryLock, { agent_id }))?.is_locked ?? false
export const lockAgent = (ctx: BrandTx, agent_id: string) => ctx.db.run(lock, { agent_id })
/** Nothing while somebody else has the tag. */
export const claimTag = async (ctx: BrandTx, tagged: Tagged, lease_seconds: number) =>
  (await ctx.db.first(claim, { ...tagged, limit: 1000, lease_seconds })) ?? { count: 0, is_early: false }
/** Ends the lease: `is_due` false if the tag has been looked at, true if it has to be again. */
export const releaseTag = (ctx: BrandCtx, tagged: Tagged, { is_due }: { is_due: boolean }) =>
  ctx.db.run(release, { ...tagged, is_due })
/** The newest so many, the oldest of them first. */
export const listOpen = (ctx: BrandCtx, tagged: Tagged, limit: number) =>
  ctx.db.all(open, { ...tagged, limit })
/** Counts to `most`, and five times as many memories. */
export const countUse = async (ctx: BrandCtx, tagged: Tagged, most: number) =>
  (await ctx.db.first(use, { ...tagged, most })) ?? { tagged: 0, memories: 0 }
export const findGrowing = async (ctx: BrandTx, tagged: Tagged) => (await ctx.db.first(growing, tagged))?.id
export const listMemories = (ctx: BrandTx, ids: readonly string[]) => ctx.db.all(list, { ids })
/** In the order of ids. */
export const lockMemories = (ctx: BrandTx, ids: readonly string[]) => ctx.db.all(lockAll, { ids })
export const insertMerges = (ctx: BrandTx, merges: Tagged & Ids & { pattern_id: string }) =>
  ctx.db.run(add, merges)
/** Returns the sources. */
export const updateUndone = async (ctx: BrandTx, pattern_id: string) =>
  (await ctx.db.all(undo, { pattern_id })).map(({ source_id }) => source_id)
/** Agent and tag of a pattern. */
export const findTagged = (ctx: BrandTx, pattern_id: string) => ctx.db.first(ofPattern, { pattern_id })
export const updateFresh = (ctx: BrandTx, pattern_id: string) => ctx.db.run(fresh, { pattern_id })
export const isMerged = async (ctx: BrandCtx, id: string): Promise<boolean> =>
  (await ctx.db.first(merged, { id })) !== undefined
