// A recount in one pass over the cards of the board, in words of its own: it shares nothing with the triggers.

const agentOf = (actor: string) => `case when ${actor} ->> 'kind' = 'agent' then ${actor} end`
const personOf = (actor: string) =>
  `case when ${actor} ->> 'kind' = 'member' then ${actor} ->> 'id' else ${actor} -> 'on_behalf_of' ->> 'id' end`

/** Done cards and runs of a board `t`, each with its week and workers. */
const counted = `
  select coalesce(c.completed_at, c.moved_at) as at,
    coalesce(${agentOf('r.started_by')}, ${agentOf('c.delegate')}, ${agentOf('c.assignee')}) as agent,
    coalesce(${personOf('c.assignee')}, ${personOf('r.started_by')}) as person,
    1 as cards, greatest(0, floor(extract(epoch from coalesce(c.completed_at, c.moved_at) - c.created_at))) as lead,
    0 as tokens, 0 as cost
  from boards.cards c left join boards.runs r on r.brand_id = c.brand_id and r.id = c.last_run_id
  where c.brand_id = t.brand_id and c.board_id = t.id and c.status = 'done'
  union all
  select r.started_at, ${agentOf('r.started_by')}, ${personOf('r.started_by')}, 0, null, r.usage_tokens, r.usage_cost_micros
  from boards.cards c join boards.runs r on r.brand_id = c.brand_id and r.card_id = c.id
  where c.brand_id = t.brand_id and c.board_id = t.id and c.runs_count > 0 and r.usage_tokens + r.usage_cost_micros > 0`

const bounds = { '1h': 1, '8h': 8, '1d': 24, '3d': 72, '7d': 168, '14d': 336, '30d': 720 }
const within = Object.entries(bounds).map(
  ([name, hours]) => `count(*) filter (where w.lead <= ${hours} * 3600) as within_${name}`,
)

const key = 'week, agent, agent_name, person_id'
const values = ['cards_done', 'lead_seconds', ...Object.keys(bounds).map((name) => `within_${name}`)]
const shown = [...values, 'tokens', 'cost_micros'].join(', ')

/** Up to five rows of the sums of a board `t` that are missing, superfluous or wrong. */
export const wrongSums = `(
  with truth as (
    select date_trunc('week', w.at at time zone 'UTC')::date as week,
      coalesce(w.agent ->> 'agent_id', w.agent ->> 'id', '') as agent, coalesce(w.agent ->> 'name', '') as agent_name,
      coalesce(w.person, '0')::int as person_id, sum(w.cards)::bigint as cards_done,
      coalesce(sum(w.lead), 0)::bigint as lead_seconds, ${within.join(', ')},
      sum(w.tokens)::bigint as tokens, sum(w.cost)::bigint as cost_micros
    from (${counted}) w group by 1, 2, 3, 4
  ), kept as (
    select ${key}, ${shown} from boards.sums s where s.brand_id = t.brand_id and s.board_id = t.id
  ), wrong as (
    (select 'should be' as row, ${key}, ${shown} from truth except all select 'should be', ${key}, ${shown} from kept)
    union all
    (select 'is', ${key}, ${shown} from kept except all select 'is', ${key}, ${shown} from truth)
  )
  select jsonb_agg(w) from (select * from wrong order by ${key}, row limit 5) w)`
