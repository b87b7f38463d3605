import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import type { MemoryKind, MemoryStatus } from '@crewhall/contracts/memory/fields.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, type Named, sql } from '#platform/db/statement.ts'
import type { Content, Stored } from './change.rules.ts'

export interface EntryRow extends Omit<Stored, 'body'> {
  readonly id: string
  readonly agent_id: string
  readonly merged_into: string | null
  readonly version: number
  readonly created_by: Actor
  readonly updated_by: Actor
  readonly created_at: string
  readonly updated_at: string
}
export interface MemoryRow extends EntryRow {
  readonly body: string
  readonly evidence: readonly string[]
}
export interface FadingRow extends EntryRow {
  readonly fades_at: string
}

const entry = `id, agent_id, kind, title, description, tags, importance, status, confidence, anchored_at, verified_at,
     is_locked, superseded_by, version, created_by, updated_by, created_at, updated_at,
     case when status = 'merged' then (
       select g.pattern_id from memory.merges g
       where g.brand_id = memories.brand_id and g.source_id = memories.id and g.undone_at is null) end as merged_into`
export const wholeMemory = `${entry}, body,
     case when kind = 'pattern' then array(
       select g.source_id::text from memory.merges g
       where g.brand_id = memories.brand_id and g.pattern_id = memories.id and g.undone_at is null
       order by g.source_id) else '{}' end as evidence`

type Id = { readonly id: string }
const one = (p: Named<Id & { brand_id: number }>) =>
  sql`select ${wholeMemory} from memory.memories where brand_id = ${p.brand_id} and id = ${p.id}`
const find = brandStatement<Id, MemoryRow>(one)
const lock = brandStatement<Id, MemoryRow>((p) => sql`${one(p)} for no key update`)
// Of a memory that may not be there: two that bring it back at once would both find nothing to lock.
const lockId = brandStatement<Id, unknown>(
  (p) =>
    sql`select pg_advisory_xact_lock(hashtext('memory.memories'), hashtext(${p.brand_id}::int || ' ' || ${p.id}))`,
)

interface NewRow extends Content, Id {
  readonly agent_id: string
  readonly text_hash: Buffer
  readonly actor: string
}
const add = brandStatement<NewRow, MemoryRow>(
  (
    p,
  ) => sql`insert into memory.memories (brand_id, id, agent_id, kind, title, body, description, tags, importance,
     status, confidence, verified_at, is_locked, text_hash, created_by, updated_by)
   values (${p.brand_id}, ${p.id}, ${p.agent_id}, ${p.kind}, ${p.title}, ${p.body}, ${p.description}, ${p.tags},
     ${p.importance}, ${p.status}, ${p.confidence}, coalesce(${p.verified_at}::timestamptz, platform.now()),
     ${p.is_locked}, ${p.text_hash}, ${p.actor}::jsonb, ${p.actor}::jsonb)
   returning ${wholeMemory}`,
)
interface OldRow extends NewRow {
  readonly version: number
  readonly created_at: string
  readonly created_by: string
}
const addAgain = brandStatement<OldRow, MemoryRow>(
  (
    p,
  ) => sql`insert into memory.memories (brand_id, id, agent_id, kind, title, body, description, tags, importance,
     status, confidence, anchored_at, verified_at, is_locked, superseded_by, text_hash, version, created_at, created_by,
     updated_by)
   values (${p.brand_id}, ${p.id}, ${p.agent_id}, ${p.kind}, ${p.title}, ${p.body}, ${p.description}, ${p.tags},
     ${p.importance}, ${p.status}, ${p.confidence}, ${p.anchored_at}, ${p.verified_at}, ${p.is_locked},
     ${p.superseded_by}, ${p.text_hash}, ${p.version}, ${p.created_at}, ${p.created_by}::jsonb, ${p.actor}::jsonb)
   returning ${wholeMemory}`,
)
const change = brandStatement<Omit<NewRow, 'agent_id'>, MemoryRow>(
  (p) => sql`update memory.memories set kind = ${p.kind}, title = ${p.title}, body = ${p.body},
     description = ${p.description}, tags = ${p.tags}, importance = ${p.importance}, status = ${p.status},
     confidence = ${p.confidence}, is_locked = ${p.is_locked}, superseded_by = ${p.superseded_by},
     text_hash = ${p.text_hash},
     anchored_at = coalesce(${p.anchored_at}::timestamptz, platform.now()),
     verified_at = coalesce(${p.verified_at}::timestamptz, platform.now()),
     version = version + 1, updated_by = ${p.actor}::jsonb, updated_at = platform.now()
   where brand_id = ${p.brand_id} and id = ${p.id} returning ${wholeMemory}`,
)
// The earlier one: a copy is told of what it repeats.
const alike = brandStatement<{ agent_id: string; text_hash: Buffer }, Id>(
  (p) => sql`select id from memory.memories where brand_id = ${p.brand_id} and agent_id = ${p.agent_id}
     and text_hash = ${p.text_hash} order by id limit 1`,
)
const remove = brandStatement<Id, unknown>(
  (p) => sql`delete from memory.memories where brand_id = ${p.brand_id} and id = ${p.id}`,
)

interface ListParams {
  readonly statuses: readonly MemoryStatus[]
  readonly kinds: readonly MemoryKind[]
  readonly before: string
  readonly limit: number
}
type OfAgent = { readonly agent_id: string }
// A page of each status and kind from the index, and of those the newest: bounded, however rare what is asked for.
const listOf = (whose: ReturnType<typeof sql>, p: Named<ListParams>) =>
  sql`select m.* from unnest(${p.statuses}::text[]) as s (status) cross join unnest(${p.kinds}::text[]) as k (kind)
   cross join lateral (
     select ${entry} from memory.memories
     where ${whose} and status = s.status and kind = k.kind and id < ${p.before}
     order by id desc limit ${p.limit}) m
   order by m.id desc limit ${p.limit}`
const listAll = brandStatement<ListParams, EntryRow>((p) => listOf(sql`brand_id = ${p.brand_id}`, p))
const listAgents = brandStatement<ListParams & OfAgent, EntryRow>((p) =>
  listOf(sql`brand_id = ${p.brand_id} and agent_id = ${p.agent_id}`, p),
)

interface FadingParams {
  readonly after_at: string
  readonly after_id: string
  readonly within_days: number
  readonly limit: number
}
const fading = (p: Named<FadingParams>) =>
  sql`status = 'active' and importance <> 'critical' and fades_at > (select platform.now())
     and fades_at <= (select platform.now() + make_interval(hours => 24 * ${p.within_days}::int))
     and fades_at >= ${p.after_at}::timestamptz and (fades_at, id) > (${p.after_at}::timestamptz, ${p.after_id}::uuid)`
const fadingAll = brandStatement<FadingParams, FadingRow>(
  (p) => sql`select ${entry}, fades_at from memory.memories where brand_id = ${p.brand_id} and ${fading(p)}
   order by fades_at, id limit ${p.limit}`,
)
const fadingAgents = brandStatement<FadingParams & OfAgent & { kinds: readonly MemoryKind[] }, FadingRow>(
  (p) => sql`select m.* from unnest(${p.kinds}::text[]) as k (kind) cross join lateral (
     select ${entry}, fades_at from memory.memories
     where brand_id = ${p.brand_id} and agent_id = ${p.agent_id} and kind = k.kind and ${fading(p)}
     order by fades_at, id limit ${p.limit}) m
   order by m.fades_at, m.id limit ${p.limit}`,
)

export const findMemory = (ctx: BrandCtx, id: string) => ctx.db.first(find, { id })
/** Nobody else changes or deletes it before this transaction has ended. */
export const lockMemory = (ctx: BrandTx, id: string) => ctx.db.first(lock, { id })
/** The same for an id that may have no row. */
export const lockMemoryId = (ctx: BrandTx, id: string) => ctx.db.run(lockId, { id })
export const insertMemory = (ctx: BrandTx, row: NewRow) => ctx.db.first(add, row)
/** One that was deleted, with its times and its first author. */
export const insertAgain = (ctx: BrandTx, row: OldRow) => ctx.db.first(addAgain, row)
export const updateMemory = (ctx: BrandTx, row: Omit<NewRow, 'agent_id'>) => ctx.db.first(change, row)
export const findAlike = async (ctx: BrandTx, agent_id: string, text_hash: Buffer): Promise<string | null> =>
  (await ctx.db.first(alike, { agent_id, text_hash }))?.id ?? null
export const deleteMemory = (ctx: BrandTx, id: string) => ctx.db.run(remove, { id })
export const listMemories = (ctx: BrandCtx, agent_id: string | undefined, page: ListParams) =>
  agent_id === undefined ? ctx.db.all(listAll, page) : ctx.db.all(listAgents, { ...page, agent_id })
export const listFading = (
  ctx: BrandCtx,
  agent_id: string | undefined,
  { kinds, ...page }: FadingParams & { kinds: readonly MemoryKind[] },
) =>
  agent_id === undefined
    ? ctx.db.all(fadingAll, page)
    : ctx.db.all(fadingAgents, { ...page, kinds, agent_id })
