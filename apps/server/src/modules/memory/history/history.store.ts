import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import { type ChangeAction, keptChanges } from '@crewhall/contracts/memory/history.ts'
import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'
import type { Stored } from '../memories/change.rules.ts'

/** A memory as it was, to the microsecond and to the last digit. */
export interface Snapshot extends Stored {
  readonly agent_id: string
  readonly created_by: Actor
  readonly created_at: string
}
export interface ChangeRow {
  readonly version: number
  readonly action: ChangeAction
  readonly actor: Actor
  readonly reason: string | null
  readonly before: Snapshot | null
  readonly after: Snapshot | null
  readonly created_at: string
}

const time = (column: string) => `to_char(m.${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
const snapshot = `jsonb_build_object('agent_id', m.agent_id, 'kind', m.kind, 'title', m.title, 'body', m.body,
     'description', m.description, 'tags', m.tags, 'importance', m.importance, 'status', m.status,
     'confidence', m.confidence, 'anchored_at', ${time('anchored_at')}, 'verified_at', ${time('verified_at')},
     'is_locked', m.is_locked, 'superseded_by', m.superseded_by, 'created_by', m.created_by, 'created_at', ${time('created_at')})`

interface NewChange {
  readonly id: string
  readonly version: number
  readonly action: ChangeAction
  readonly reason: string | null
  readonly actor: Actor
}
type NewRow = Omit<NewChange, 'actor'> & { readonly actor: string }
const add = brandStatement<NewRow, unknown>(
  (p) => sql`with dropped as (
     delete from memory.history where brand_id = ${p.brand_id} and memory_id = ${p.id}
       and version <= ${p.version}::int - ${String(keptChanges)})
   insert into memory.history (brand_id, memory_id, version, action, reason, actor, before)
   values (${p.brand_id}, ${p.id}, ${p.version}, ${p.action}, ${p.reason}, ${p.actor}::jsonb, (
     select ${snapshot} from memory.memories m
     where m.brand_id = ${p.brand_id} and m.id = ${p.id}))`,
)
const latest = brandStatement<{ id: string }, Pick<ChangeRow, 'version' | 'action'>>(
  (p) => sql`select version, action from memory.history where brand_id = ${p.brand_id} and memory_id = ${p.id}
   order by version desc limit 1`,
)
// What was there after a change is what the next change found, or what is there now.
const list = brandStatement<{ id: string; below: number; limit: number }, ChangeRow>(
  (p) => sql`select h.version, h.action, h.actor, h.reason, h.before, h.created_at,
     case when next.version is null then (
         select ${snapshot} from memory.memories m where m.brand_id = h.brand_id and m.id = h.memory_id)
       else next.before end as after
   from memory.history h left join memory.history next
     on next.brand_id = h.brand_id and next.memory_id = h.memory_id and next.version = h.version + 1
   where h.brand_id = ${p.brand_id} and h.memory_id = ${p.id} and h.version < ${p.below}
   order by h.version desc limit ${p.limit}`,
)

// Whole histories of memories whose last change is a deletion long ago, and the words they came from. One that was brought
// back and deleted again has an older deletion as well, which does not count.
const sweep = statement<{ days: number; limit: number }, { count: number }>(
  (p) => sql`with gone as materialized (
     select h.brand_id, h.memory_id from memory.history h
     where h.action = 'deleted' and h.created_at < platform.now() - make_interval(days => ${p.days}::int)
       and not exists (select from memory.history later
         where later.brand_id = h.brand_id and later.memory_id = h.memory_id and later.version > h.version
           and later.action <> 'purged')
     limit ${p.limit}),
   dropped as (
     delete from memory.history h using gone g where h.brand_id = g.brand_id and h.memory_id = g.memory_id),
   unmerged as (
     delete from memory.merges m using gone g where m.brand_id = g.brand_id and m.source_id = g.memory_id),
   quotes as (
     delete from memory.provenance v using gone g where v.brand_id = g.brand_id and v.memory_id = g.memory_id)
   select count(*)::int as count from gone`,
)

/** The state of the memory goes with it, so this comes before the change itself. */
export const insertChange = (ctx: BrandTx, { actor, ...change }: NewChange) =>
  ctx.db.run(add, { ...change, actor: JSON.stringify(actor) })
export const listChanges = (ctx: BrandCtx, id: string, below: number, limit: number) =>
  ctx.db.all(list, { id, below, limit })
/** Also for a memory that was deleted. */
export const findLatestChange = (ctx: BrandTx, id: string) => ctx.db.first(latest, { id })
export const deleteOldHistories = async (ctx: SystemCtx, days: number, limit: number): Promise<number> =>
  (await ctx.overBrands().db.first(sweep, { days, limit }))?.count ?? 0
