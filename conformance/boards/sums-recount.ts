import type { BoardWorkspace } from './board-workspace.ts'

export interface Sum {
  board?: { id: string; name: string }
  agent?: { id: string; name: string } | null
  person?: { user_id: number; name: string | null } | null
  week?: string
  cards_done: number
  lead_time: {
    total_seconds: number
    mean_seconds: number | null
    p50_within_seconds: number | null
    p85_within_seconds: number | null
    within: { seconds: number; cards: number }[]
  }
  tokens: number
  cost_micros: number
}

/** Numbers of each board, agent, person and week, in one order. */
type Sums = Readonly<Record<string, readonly number[]>>

const dayIn = (weeks: number) => new Date(Date.now() + weeks * 7 * 24 * 3600_000).toISOString().slice(0, 10)

/** Also of weeks to come: a test may have moved the clock. */
export async function sumsOf(workspace: BoardWorkspace): Promise<Sums> {
  const sums: Record<string, readonly number[]> = {}
  for (let page = 1; ; page += 1) {
    const { body } = await workspace.call<{ items: Sum[] }>(
      'GET',
      `/sums?by=board,agent,person,week&from=${dayIn(-8)}&to=${dayIn(8)}&per_page=100&page=${page}`,
    )
    if (body.items.length === 0) return sums
    for (const sum of body.items) {
      const { board, agent, person, week, cards_done, lead_time, tokens, cost_micros } = sum
      const key = [week, board?.id, agent?.id ?? '', agent?.name ?? '', person?.user_id ?? 0].join('|')
      const within = lead_time.within.map(({ cards }) => cards)
      sums[key] = [cards_done, lead_time.total_seconds, ...within, tokens, cost_micros]
    }
  }
}

interface Worker {
  kind: string
  id: string
  name: string
  agent_id?: string
  on_behalf_of?: { id: string } | null
}
interface Row {
  board_id: string
  card_id: string
  run_id: string | null
  status: string
  completed_ms: number
  lead_s: number
  assignee: Worker | null
  delegate: Worker | null
  last_run_id: string | null
  started_by: Worker | null
  started_ms: number
  tokens: number
  cost: number
}

const bounds = [1, 8, 24, 72, 168, 336, 720].map((hours) => hours * 3600)

/** The same from all cards and runs that there are, counted here. */
export async function recountOf(
  server: { sql<T extends object>(text: string, values: unknown[]): Promise<T[]> },
  brand_id: number,
): Promise<Sums> {
  const rows = await server.sql<Row>(
    `select c.board_id, c.id as card_id, r.id as run_id, c.status, c.assignee, c.delegate, c.last_run_id, r.started_by,
       (extract(epoch from c.completed_at) * 1000)::float8 as completed_ms,
       floor(extract(epoch from c.completed_at - c.created_at))::float8 as lead_s,
       (extract(epoch from r.started_at) * 1000)::float8 as started_ms, r.usage_tokens::float8 as tokens,
       r.usage_cost_micros::float8 as cost
     from boards.cards c left join boards.runs r on r.brand_id = c.brand_id and r.card_id = c.id
     where c.brand_id = $1`,
    [brand_id],
  )
  const sums: Record<string, number[]> = {}
  const add = (at: { ms: number; board: string; agents: Workers; people: Workers }, numbers: number[]) => {
    const day = new Date(at.ms)
    day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7))
    const agent = at.agents.find((each) => each?.kind === 'agent')
    const person = at.people
      .map((each) => (each?.kind === 'member' ? each.id : each?.on_behalf_of?.id))
      .find((id) => id !== undefined)
    const week = day.toISOString().slice(0, 10)
    const key = [week, at.board, agent?.agent_id ?? agent?.id ?? '', agent?.name ?? '', person ?? 0].join('|')
    const before = sums[key]
    sums[key] = numbers.map((number, place) => number + (before?.[place] ?? 0))
  }
  const seen = new Set<string>()
  for (const { board_id: board, ...row } of rows) {
    if (row.status === 'done' && !seen.has(row.card_id)) {
      seen.add(row.card_id)
      const last =
        rows.find(({ run_id }) => run_id !== null && run_id === row.last_run_id)?.started_by ?? null
      const within = bounds.map((bound) => (row.lead_s <= bound ? 1 : 0))
      add(
        {
          ms: row.completed_ms,
          board,
          agents: [last, row.delegate, row.assignee],
          people: [row.assignee, last],
        },
        [1, row.lead_s, ...within, 0, 0],
      )
    }
    if (row.run_id !== null && row.tokens + row.cost > 0) {
      const by = [row.started_by]
      add({ ms: row.started_ms, board, agents: by, people: by }, [
        0,
        0,
        ...bounds.map(() => 0),
        row.tokens,
        row.cost,
      ])
    }
  }
  return sums
}
type Workers = readonly (Worker | null)[]
