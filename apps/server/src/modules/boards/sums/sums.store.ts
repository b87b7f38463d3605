import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

export interface SumRow {
  readonly board_id: string | null
  readonly board_key: string
  readonly board_name: string
  readonly week: string | null
  readonly agent: string | null
  readonly agent_name: string
  readonly person_id: number | null
  readonly cards_done: number
  readonly lead_seconds: number
  readonly within: readonly number[]
  readonly tokens: number
  readonly cost_micros: number
  readonly total: number
}

interface Query {
  readonly by_board: boolean
  readonly by_week: boolean
  readonly by_agent: boolean
  readonly by_person: boolean
  readonly from: string
  readonly to: string
  readonly board_ids: readonly string[] | null
  readonly limit: number
  readonly offset: number
}

// Usage is what callers say it is; more than a number of JSON can hold is shown as the most it can.
const readable = (sum: string) => `least(${sum}, 9007199254740991)::bigint`
const within = ['1h', '8h', '1d', '3d', '7d', '14d', '30d'].map((bound) => `sum(within_${bound})::bigint`)

// Only rows of these weeks are read, by index: as many as the workspace has boards, workers and weeks.
const list = brandStatement<Query, SumRow>(
  (p) => sql`with picked as (
     select case when ${p.by_board}::boolean then board_id end as board_id,
       case when ${p.by_week}::boolean then week end as week,
       case when ${p.by_agent}::boolean then agent end as agent,
       case when ${p.by_agent}::boolean then agent_name end as agent_name,
       case when ${p.by_person}::boolean then person_id end as person_id,
       cards_done, lead_seconds, within_1h, within_8h, within_1d, within_3d, within_7d, within_14d, within_30d,
       tokens, cost_micros
     from boards.sums
     where brand_id = ${p.brand_id} and week between ${p.from}::date and ${p.to}::date
       and (${p.board_ids}::uuid[] is null or board_id = any(${p.board_ids}))
   ), summed as (
     select board_id, week, agent, agent_name, person_id, sum(cards_done)::bigint as cards_done,
       ${readable('sum(lead_seconds)')} as lead_seconds, array[${within.join(', ')}]::float8[] as within,
       ${readable('sum(tokens)')} as tokens, ${readable('sum(cost_micros)')} as cost_micros,
       (count(*) over ())::int as total
     from picked group by board_id, week, agent, agent_name, person_id
     order by week desc, cards_done desc, cost_micros desc, board_id, agent, agent_name, person_id
     limit ${p.limit} offset ${p.offset}
   )
   select s.board_id, b.key as board_key, b.name as board_name, s.week::text as week, s.agent, s.agent_name, s.person_id,
     s.cards_done, s.lead_seconds, s.within, s.tokens, s.cost_micros, s.total
   from summed s
   left join lateral (
     select b.key, b.name from boards.boards b where b.brand_id = ${p.brand_id} and b.id = s.board_id limit 1) b on true
   order by s.week desc, s.cards_done desc, s.cost_micros desc, s.board_id, s.agent, s.agent_name, s.person_id`,
)

export const listSums = (ctx: BrandCtx, query: Query) => ctx.db.all(list, query)
