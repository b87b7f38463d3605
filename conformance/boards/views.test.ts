import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace } from './board-workspace.ts'

const server = useSharedServer('product')
const rounds = roundsFor(30, 0.7)
let workspace: BoardWorkspace
let member: BoardWorkspace
let other: BoardWorkspace
let board: Board
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  member = workspace.as((await workspace.newMember()).token)
  other = await BoardWorkspace.open(server)
  board = await workspace.board()
})

interface View {
  id: string
  name: string
  shared: boolean
  filters: Record<string, string>
}
const save = (body: object, by = workspace) =>
  by.call<View>('POST', '/views', { name: 'A view', filters: {}, ...body })
const open = ({ id }: View, by = workspace, query = '') => by.call('GET', `/views/${id}/tasks${query}`)
const namesOf = async (by: BoardWorkspace) =>
  (await by.call<{ items: View[] }>('GET', '/views')).body.items.map(({ name }) => name)

test('a view answers what the search answers, for whoever opens it', async () => {
  const mine = { kind: 'member', id: workspace.owner.person_id }
  await workspace.card(board, { title: 'Oil the hinge', labels: ['door'], assignee: mine })
  await workspace.card(board, { title: 'Paint the door', labels: ['door', 'paint'] })
  await workspace.card(board, { title: 'Wash up' })
  const filters = { label: 'door', sort: 'title', count_by: 'label', board_ids: board.id }
  const { status, body: view } = await save({ filters, shared: true })
  expect(status).toBe(201)
  expect(view.filters).toEqual(filters)
  const query = new URLSearchParams(filters)
  const found = await workspace.call<{ total: number }>('GET', `/tasks:search?${query}&per_page=1&page=2`)
  expect(found.body.total).toBe(2)
  expect(await open(view, workspace, '?per_page=1&page=2')).toEqual(found)
  const { body: own } = await save({ filters: { assignee: 'me' }, shared: true })
  expect((await open(own)).body.total).toBe(1)
  expect((await open(own, member)).body.total).toBe(0)
  expect((await open(own, workspace, '?label=door')).status).toBe(400)
})

test('what the search refuses is not saved, and says why', async () => {
  const foreign = await other.board()
  const refused = await Promise.all([
    save({ filters: { colour: 'red' } }),
    save({ filters: { priority: 'most' } }),
    save({ filters: { due_before: 'tomorrow' } }),
    save({ filters: { q: 7 } }),
    save({ filters: { page: '2' } }),
    save({ filters: { q: 'x'.repeat(201) } }),
    save({ filters: { board_ids: foreign.id } }),
    save({ filters: { board_ids: crypto.randomUUID() } }),
  ])
  expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 400))
  expect(JSON.stringify(refused[1]?.body)).toContain('filters.priority')
  expect(refused[6]?.body).toEqual(refused[7]?.body)
  const hostile = `'; drop table boards.views; -- " \\ <b>`
  const { body } = await save({ filters: { q: hostile, label: hostile } })
  expect(await open(body)).toMatchObject({ status: 200, body: { items: [], total: 0 } })
})

test('others see what is shared and change nothing of it; strangers see nothing', async () => {
  const own = (await save({ name: 'kept' }, member)).body
  const shared = (await save({ name: 'told', shared: true }, member)).body
  expect(await namesOf(workspace)).toContain('told')
  expect(await namesOf(workspace)).not.toContain('kept')
  expect(await namesOf(member)).toEqual(expect.arrayContaining(['kept', 'told']))
  expect(await namesOf(other)).toEqual([])
  const third = workspace.as((await workspace.newMember()).token)
  const answers = async (by: BoardWorkspace, { id }: View) => [
    (await by.call('GET', `/views/${id}`)).status,
    (await by.call('GET', `/views/${id}/tasks`)).status,
    (await by.call('PATCH', `/views/${id}`, { name: 'mine' })).status,
    (await by.call('DELETE', `/views/${id}`)).status,
  ]
  expect(await answers(third, own)).toEqual([404, 404, 404, 404])
  expect(await answers(workspace, own)).toEqual([404, 404, 404, 404])
  expect(await answers(other, shared)).toEqual([404, 404, 404, 404])
  expect(await answers(third, shared)).toEqual([200, 200, 403, 403])
  // An admin may change what all see, but not take it for themselves.
  expect((await workspace.call('PATCH', `/views/${shared.id}`, { shared: false })).status).toBe(403)
  expect(await answers(workspace, shared)).toEqual([200, 200, 200, 200])
  expect((await member.call('DELETE', `/views/${own.id}?dry_run=true`)).status).toBe(200)
  expect(await answers(member, own)).toEqual([200, 200, 200, 200])
})

/** Four calls at once for a member who may save two more. */
interface Saver {
  readonly person_id: number
  readonly by: BoardWorkspace
}
const raceOf = (isTwin: boolean, act: (saver: Saver) => Promise<unknown>) =>
  race({
    rounds,
    isTwin,
    clients: 4,
    async setup() {
      const { person_id, token } = await workspace.newMember()
      await server.sql(
        `insert into boards.views (brand_id, person_id, name, filters)
         select $1, $2, 'v', '{}' from generate_series(1, 98)`,
        [workspace.owner.brand_id, person_id],
      )
      return { person_id, by: workspace.as(token) }
    },
    act,
    async verdict({ person_id }) {
      const [row] = await server.sql<{ n: number }>(
        'select count(*)::int as n from boards.views where person_id = $1',
        [person_id],
      )
      return row?.n === 100 ? undefined : `${row?.n} views`
    },
  })

test(`a member never has more than 100 views, ${rounds} rounds`, async () => {
  const { wrong, examples } = await raceOf(false, ({ by }) => save({}, by))
  expect(wrong, examples.join('\n')).toBe(0)
  const twin = await raceOf(true, async ({ person_id }) => {
    const [row] = await server.sql<{ n: number }>(
      'select count(*)::int as n from boards.views where person_id = $1',
      [person_id],
    )
    if ((row?.n ?? 0) >= 100) return
    await server.sql(
      `insert into boards.views (brand_id, person_id, name, filters) values ($1, $2, 'v', '{}')`,
      [workspace.owner.brand_id, person_id],
    )
  })
  expect(twin.wrong).toBeGreaterThan(0)
})
