import type { SpendPurpose } from '@crewhall/contracts/conversations/usage.ts'
import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, type Named, type Sql, sql, statement } from '#platform/db/statement.ts'

export interface Today {
  /** Of UTC. */
  readonly day: string
  readonly resets_at: string
  readonly calls: number
  readonly tokens: number
}
const theDay = `(platform.now() at time zone 'UTC')::date`

const turn = brandStatement<object, unknown>(
  (p) => sql`select pg_advisory_xact_lock(hashtext('conversations.spend'), ${p.brand_id})`,
)
const today = brandStatement<{ is_recall: boolean }, Today>(
  (p) => sql`select ${theDay}::text as day, ((${theDay} + 1)::timestamp at time zone 'UTC') as resets_at,
     coalesce(sum(calls), 0)::int as calls, coalesce(sum(tokens), 0)::float8 as tokens
   from conversations.spend
   where brand_id = ${p.brand_id} and day = ${theDay} and (purpose = 'recall') = ${p.is_recall}`,
)

export interface Spent {
  readonly day: string
  readonly purpose: SpendPurpose
  readonly source_id: string
  readonly agent_id: string
  readonly calls: number
  readonly tokens: number
}
const add = brandStatement<Spent, unknown>(
  (p) => sql`insert into conversations.spend as s (brand_id, day, purpose, source_id, agent_id, calls, tokens)
   values (${p.brand_id}, ${p.day}::date, ${p.purpose}, ${p.source_id}, ${p.agent_id}, ${p.calls},
     greatest(0, ${p.tokens}::bigint))
   on conflict (brand_id, day, source_id) do update set calls = s.calls + excluded.calls,
     tokens = greatest(0, s.tokens + ${p.tokens}::bigint)`,
)

interface Page {
  readonly from: string
  readonly before_day: string
  readonly before_source: string
  readonly limit: number
}
const listWhere = (p: Named<Page & { brand_id: number }>, whose: Sql) =>
  sql`select day::text as day, purpose, source_id, agent_id, calls, tokens::float8 as tokens from conversations.spend
   where brand_id = ${p.brand_id} ${whose} and day >= ${p.from}::date
     and (day, source_id) < (${p.before_day}::date, ${p.before_source}::uuid)
   order by day desc, source_id desc limit ${p.limit}`
const list = brandStatement<Page, Spent>((p) => listWhere(p, sql``))
const listOfAgent = brandStatement<Page & { agent_id: string }, Spent>((p) =>
  listWhere(p, sql`and agent_id = ${p.agent_id}`),
)
const sweep = statement<{ days: number; limit: number }, unknown>(
  (p) => sql`delete from conversations.spend where (brand_id, day, source_id) in (
     select brand_id, day, source_id from conversations.spend
     where day < ${theDay} - ${p.days}::int limit ${p.limit})`,
)

/** Until the end of the transaction nobody else of the workspace spends. */
export const lockSpend = (ctx: BrandTx) => ctx.db.run(turn, {})
/** Recalls, or everything else. */
export async function findToday(ctx: BrandCtx, kind: 'memory' | 'recall'): Promise<Today> {
  const found = await ctx.db.first(today, { is_recall: kind === 'recall' })
  if (!found) throw new Error('nothing was counted')
  return found
}
/** Negative tokens take back what was reserved too much. */
export const addSpent = (ctx: BrandTx, spent: Spent) => ctx.db.run(add, spent)
export const listSpent = (ctx: BrandCtx, agent_id: string | undefined, page: Page) =>
  agent_id === undefined ? ctx.db.all(list, page) : ctx.db.all(listOfAgent, { ...page, agent_id })
export const deleteOldSpend = (ctx: SystemCtx, days: number, limit: number) =>
  ctx.overBrands().db.run(sweep, { days, limit })
