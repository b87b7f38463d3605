import type { MemoryKind } from '@crewhall/contracts/memory/fields.ts'
import type { MemoryFileReason } from '@crewhall/contracts/memory/memory-file.ts'
import type { BrandCtx, SystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'
import type { LineSource } from './lines.rules.ts'
import type { Ranked } from './order.rules.ts'

export interface ExportRow {
  readonly state: 'waiting' | 'written' | 'untouched'
  readonly reason: MemoryFileReason | null
  readonly memory_ids: readonly string[]
  readonly lines: number
  readonly bytes: number
  readonly is_due: boolean
  readonly written_at: string | null
  readonly checked_at: string | null
}
export interface DueRow {
  readonly agent_id: string
  readonly is_due: boolean
  readonly file_mark: string | null
}
type OfAgent = { readonly agent_id: string }

// One step from workspace to workspace on each index, however many agents they have.
const brands = statement<{ after: number; limit: number }, { brand_id: number }>(
  (p) => sql`with recursive found (brand_id) as (
     select least((select min(brand_id) from memory.exports where brand_id > ${p.after}),
       (select min(brand_id) from memory.export_marks where brand_id > ${p.after}))
     union all
     select least((select min(e.brand_id) from memory.exports e where e.brand_id > f.brand_id),
       (select min(m.brand_id) from memory.export_marks m where m.brand_id > f.brand_id))
     from found f where f.brand_id is not null)
   select brand_id from found where brand_id is not null limit ${p.limit}`,
)

const agents = brandStatement<{ after: string; limit: number }, DueRow>(
  (p) => sql`select a.agent_id, e.file_mark,
     m.agent_id is not null or e.state is distinct from 'written' or e.due_at <= platform.now() as is_due
   from (
     (select agent_id from memory.exports where brand_id = ${p.brand_id} and agent_id > ${p.after}
      order by agent_id limit ${p.limit})
     union
     (select agent_id from memory.export_marks where brand_id = ${p.brand_id} and agent_id > ${p.after}
      order by agent_id limit ${p.limit})) a
     left join memory.exports e on e.brand_id = ${p.brand_id} and e.agent_id = a.agent_id
     left join memory.export_marks m on m.brand_id = ${p.brand_id} and m.agent_id = a.agent_id
   order by a.agent_id limit ${p.limit}`,
)

// A row in any case: before the first export there is at most a mark.
const find = brandStatement<OfAgent, ExportRow>(
  (
    p,
  ) => sql`select coalesce(e.state, 'waiting') as state, e.reason, coalesce(e.memory_ids, '{}') as memory_ids,
     coalesce(e.lines, 0) as lines, coalesce(e.bytes, 0) as bytes, e.written_at, e.checked_at,
     exists (select from memory.export_marks m where m.brand_id = ${p.brand_id} and m.agent_id = ${p.agent_id})
       or coalesce(e.due_at <= platform.now(), false) as is_due
   from (values (true)) as one left join memory.exports e
     on e.brand_id = ${p.brand_id} and e.agent_id = ${p.agent_id}`,
)

// The mark goes and the row says that it is due, in one commit: a crash forgets neither.
const claim = brandStatement<OfAgent, unknown>(
  (p) => sql`with taken as (
     delete from memory.export_marks where brand_id = ${p.brand_id} and agent_id = ${p.agent_id})
   insert into memory.exports (brand_id, agent_id) values (${p.brand_id}, ${p.agent_id})
   on conflict (brand_id, agent_id) do update set due_at = platform.now()`,
)

type Best = LineSource & Ranked
const ranked = sql`id, importance, confidence, anchored_at, created_at`
// The top of each kind from its index. Those that were of little confidence from the start have no order in it, so more of
// them are compared. A line shows the beginning of a body, and no more of it is read.
const best = brandStatement<OfAgent & { kinds: readonly MemoryKind[]; limit: number; low: number }, Best>(
  (p) => sql`with top as materialized (
     select t.* from unnest(${p.kinds}::text[]) as k (kind) cross join lateral (
       (select ${ranked} from memory.memories
        where brand_id = ${p.brand_id} and agent_id = ${p.agent_id} and kind = k.kind and status = 'active'
          and importance <> 'critical' and fades_at > '-infinity'
        order by fades_at desc, created_at desc, id limit ${p.limit})
       union all
       (select ${ranked} from memory.memories
        where brand_id = ${p.brand_id} and agent_id = ${p.agent_id} and kind = k.kind and status = 'active'
          and importance <> 'critical' and fades_at = '-infinity'
        order by created_at desc, id limit ${p.low})
       union all
       (select ${ranked} from memory.memories
        where brand_id = ${p.brand_id} and agent_id = ${p.agent_id} and kind = k.kind and status = 'active'
          and importance = 'critical'
        order by confidence desc, created_at desc, id limit ${p.limit})) t
     order by memory.effective_confidence(t.confidence, t.anchored_at, t.importance, (select platform.now())) desc,
       t.created_at desc, t.id limit ${p.limit})
   select m.id, m.kind, m.title, left(m.body, 1000) as body, m.description, m.importance, m.confidence, m.anchored_at,
     m.created_at
   from top t join memory.memories m on m.brand_id = ${p.brand_id} and m.id = t.id`,
)
const texts = brandStatement<OfAgent & { ids: readonly string[] }, LineSource>(
  (p) => sql`select id, kind, title, body, description from memory.memories
   where brand_id = ${p.brand_id} and id = any(${p.ids}::uuid[]) and agent_id = ${p.agent_id} and status = 'active'`,
)

interface Done extends OfAgent {
  readonly memory_ids: readonly string[]
  readonly lines: number
  readonly bytes: number
  readonly file_mark: string | null
  readonly due_at: string
  readonly is_written: boolean
}
const finish = brandStatement<Done, unknown>(
  (
    p,
  ) => sql`update memory.exports set state = 'written', reason = null, memory_ids = ${p.memory_ids}, lines = ${p.lines},
     bytes = ${p.bytes}, file_mark = ${p.file_mark}, due_at = ${p.due_at}::timestamptz, checked_at = platform.now(),
     written_at = case when ${p.is_written}::boolean then platform.now() else written_at end
   where brand_id = ${p.brand_id} and agent_id = ${p.agent_id}`,
)
const leave = brandStatement<OfAgent & { reason: MemoryFileReason }, unknown>(
  (p) => sql`update memory.exports set state = 'untouched', reason = ${p.reason}, checked_at = platform.now()
   where brand_id = ${p.brand_id} and agent_id = ${p.agent_id}`,
)

/** Workspaces with agents that have a file or are to get one. */
export const listBrands = async (ctx: SystemCtx, page: { after: number; limit: number }): Promise<number[]> =>
  (await ctx.overBrands().db.all(brands, page)).map(({ brand_id }) => brand_id)
export const listAgents = (ctx: BrandCtx, page: { after: string; limit: number }) => ctx.db.all(agents, page)
export async function getExport(ctx: BrandCtx, agent_id: string): Promise<ExportRow> {
  const row = await ctx.db.first(find, { agent_id })
  if (!row) throw new Error('a statement that always has a row has none')
  return row
}
/** Before the memories are read. */
export const claimExport = (ctx: BrandCtx, agent_id: string) => ctx.db.run(claim, { agent_id })
/** The best by effective confidence. */
export const listBest = (
  ctx: BrandCtx,
  wanted: { agent_id: string; kinds: readonly MemoryKind[]; limit: number; low: number },
) => ctx.db.all(best, wanted)
export const listTexts = (ctx: BrandCtx, agent_id: string, ids: readonly string[]) =>
  ctx.db.all(texts, { agent_id, ids })
export const updateWritten = (ctx: BrandCtx, done: Done) => ctx.db.run(finish, done)
export const updateUntouched = (ctx: BrandCtx, agent_id: string, reason: MemoryFileReason) =>
  ctx.db.run(leave, { agent_id, reason })
