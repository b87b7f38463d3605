import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeEach, expect, test } from 'vitest'
import { useGuests } from '../workspaces/guests/guests-world.ts'
import { BoardWorkspace, type Card } from './board-workspace.ts'
import { useSharedBoards } from './shared-boards.ts'
import type { Sum } from './sums-recount.ts'

const server = useSharedServer('product')
const world = useGuests(server)
const { sharedBoard } = useSharedBoards(world)
let workspace: BoardWorkspace
beforeEach(async () => {
  workspace = await BoardWorkspace.open(server)
})

interface Sums {
  items: Sum[]
  total: number
  from: string
  to: string
}
const sums = (query: string, by = workspace) => by.call<Sums>('GET', `/sums?${query}`)
const mondayOf = (day: Date) => {
  day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7))
  return day.toISOString().slice(0, 10)
}
/** As if it had been created so long before it was done, and done so long ago. */
const age = ({ id }: Card, hours: number, ago = '0 days') =>
  server.sql(
    `update boards.cards set created_at = completed_at - $3::interval - make_interval(hours => $2),
       completed_at = completed_at - $3::interval where id = $1`,
    [id, hours, ago],
  )

test('cards done, lead time, tokens and cost are summed up by board, agent, person and week', async () => {
  const [one, two] = [await workspace.board(), await workspace.board()]
  const { person_id: user_id } = workspace.owner
  const own = { assignee: { kind: 'member', id: String(user_id) } }
  const agent = { kind: 'agent', id: 'ada', name: 'Ada' }
  const [first, second, third] = [
    await workspace.card(one, { ...own, status: 'done' }),
    await workspace.card(one, { ...own, delegate: agent }),
    await workspace.card(two, { status: 'done' }),
  ]
  await workspace.patch(second, { status: 'done' })
  await age(first, 10)
  await age(second, 100)
  await age(third, 1, '7 days')
  const run = (await workspace.call<Card>('POST', `/tasks/${third.id}/runs`, { worker: 'Eve' })).body
  // Usage is the total so far: a report replaces the one before.
  for (const tokens of [70, 50])
    await workspace.call('PATCH', `/runs/${run.id}`, { usage: { tokens, cost_micros: 2 * tokens } })

  const byBoard = (await sums('by=board')).body
  expect(byBoard).toMatchObject({
    total: 2,
    to: mondayOf(new Date()),
    items: [
      { board: { id: one.id, key: one.key, name: one.name }, cards_done: 2, tokens: 0, cost_micros: 0 },
      { board: { id: two.id }, cards_done: 1, tokens: 50, cost_micros: 100 },
    ],
  })
  const [lead] = byBoard.items.map(({ lead_time }) => lead_time)
  // The database has written both times of a card in one transaction, but for fractions of a second.
  expect(lead?.mean_seconds).toBe((lead?.total_seconds ?? 0) / 2)
  expect(Math.abs((lead?.total_seconds ?? 0) - 110 * 3600)).toBeLessThanOrEqual(2)
  expect(lead).toMatchObject({ p50_within_seconds: 86_400, p85_within_seconds: 604_800 })
  expect(lead?.within.map(({ cards }) => cards)).toEqual([0, 0, 1, 1, 2, 2, 2])

  const person = { user_id, name: 'Ann Example' }
  expect((await sums('by=person')).body.items).toMatchObject([{ person, cards_done: 3, tokens: 50 }])
  // An agent that ran after the card was done worked on it last.
  const byAgent = (await sums('by=agent')).body.items
  expect(byAgent.map((sum) => [sum.agent?.name, sum.cards_done, sum.tokens])).toEqual([
    ['Eve', 1, 50],
    [undefined, 1, 0],
    ['Ada', 1, 0],
  ])
  const thisWeek = mondayOf(new Date())
  const lastWeek = mondayOf(new Date(Date.now() - 7 * 24 * 3600_000))
  const byWeek = (await sums('by=week,board')).body.items
  expect(byWeek.map((sum) => [sum.week, sum.board?.id, sum.cards_done, sum.tokens])).toEqual([
    [thisWeek, one.id, 2, 0],
    [thisWeek, two.id, 0, 50],
    [lastWeek, two.id, 1, 0],
  ])
  const narrow = await sums(`by=week&board_ids=${two.id}&from=${lastWeek}&to=${lastWeek}`)
  expect(narrow.body.items).toMatchObject([{ week: lastWeek, cards_done: 1, tokens: 0 }])

  // Archived cards were done all the same; one that is reopened was not.
  await workspace.call('POST', `/tasks/${first.id}/archive`)
  expect((await sums('by=board')).body.items[0]).toMatchObject({ cards_done: 2 })
  await workspace.patch(third, { status: 'in_progress' })
  await workspace.patch(second, { status: 'in_progress' })
  expect((await sums('by=week')).body.items).toMatchObject([{ week: thisWeek, cards_done: 1, tokens: 50 }])
  // What is deleted, as with its workspace, takes its usage along.
  await server.sql('delete from boards.cards where id = any($1)', [[first.id, third.id]])
  expect((await sums('by=week')).body.items).toEqual([])
})

test('strangers, guests and what is not a week get nothing of it', async () => {
  const board = await workspace.board()
  await workspace.card(board, { status: 'done' })
  const other = await BoardWorkspace.open(server)
  expect((await sums('by=board,week', other)).body).toMatchObject({ items: [], total: 0 })
  expect((await sums(`by=board&board_ids=${board.id}`, other)).status).toBe(403)
  const { session } = await sharedBoard('editor')
  expect((await world.call(session, 'GET', '/api/v1/board/sums?by=board')).status).toBe(403)
  for (const query of [
    '',
    'by=',
    'by=moon',
    'by=board&since=2026-01-01',
    'by=board&from=2026-02-30',
    'by=board&from=2026-02-02&to=2026-01-01',
    'by=board&from=2024-01-01&to=2026-01-01',
  ])
    expect([query, (await sums(query)).status]).toEqual([query, 400])
  expect((await sums('by=board&page=7')).body).toMatchObject({ items: [], total: 1 })
  expect((await sums('by=board&from=1970-01-01&to=1970-12-31')).body).toMatchObject({ items: [] })
})
