import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace } from './board-workspace.ts'

const server = useSharedServer('product')
let workspace: BoardWorkspace
let other: BoardWorkspace
let one: Board
let two: Board
let foreign: Board

interface Item {
  ref: string
  board: string
  column: { id: string; name: string }
  pr_number: number | null
  branch: string | null
}
interface Master {
  items: Item[]
  total: number
}

beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  other = await BoardWorkspace.open(server)
  one = await workspace.board({ board_type: 'product' })
  two = await workspace.board({
    board_type: 'support',
    columns: [
      { name: ' Straße ', status: 'pending' },
      { name: 'Done', status: 'done' },
    ],
  })
  foreign = await other.board({ name: 'Foreign', board_type: 'product' })
  await workspace.card(one, { title: 'a', column: 'To do', branch: 'a', pr_number: 1 })
  await workspace.card(one, { title: 'b', column: 'Done' })
  await workspace.card(two, { title: 'c', column: 'STRASSE' })
  await workspace.card(two, { title: 'd', column: 'Done', pr_number: 4 })
  await other.card(foreign, { title: 'secret' })
})

const ask = (query = '') => workspace.call<Master>('GET', `/master/tasks${query}`)
const refs = async (query = '') => (await ask(query)).body.items.map(({ ref }) => ref).sort()
const ref = (board: Board, number: number) => `${board.key}-${number}`

test('BRD-23 BRD-24 BRD-25 BRD-G9: items tell ref, name of the board, column, PR and branch', async () => {
  const { status, body } = await ask(`?board_ids=${one.id}`)
  expect(status).toBe(200)
  expect(Object.keys(body)).toEqual(['items', 'total'])
  const item = body.items.find((each) => each.ref === ref(one, 1))
  expect(item).toEqual({
    ref: ref(one, 1),
    board: one.name,
    column: { id: one.columns[0]?.id, name: 'To do' },
    pr_number: 1,
    branch: 'a',
  })
})

test('BRD-26: several boards are separated by commas', async () => {
  const all = [ref(one, 1), ref(one, 2), ref(two, 1), ref(two, 2)].sort()
  expect(await refs(`?board_ids=${one.id},${two.id}`)).toEqual(all)
  expect(await refs(`?board_ids=${one.id.toUpperCase()},,${one.id}`)).toEqual(
    [ref(one, 1), ref(one, 2)].sort(),
  )
})

test('BRD-27: board_type, status and since narrow', async () => {
  expect(await refs('?board_type=support')).toEqual([ref(two, 1), ref(two, 2)].sort())
  expect(await refs('?status=done')).toEqual([ref(one, 2), ref(two, 2)].sort())
  expect(await refs('?since=2100-01-01T00:00:00Z')).toEqual([])
  expect(await refs('?since=2020-01-01T00:00:00%2B02:00')).toHaveLength(4)
})

test('BRD-28: without boards named, all boards of the workspace and of no other', async () => {
  const { body } = await ask()
  expect(body.items.map(({ board }) => board)).not.toContain(foreign.name)
  expect(body.total).toBe(4)
})

test('BRD-29: column names match whatever their case and the blanks around them', async () => {
  expect(await refs(`?column_names=${encodeURIComponent('  straSSE ')}`)).toEqual([ref(two, 1)])
  expect(await refs(`?column_names=${encodeURIComponent('TO DO')}`)).toEqual([ref(one, 1)])
})

test('K13 BRD-29: a capital sharp s and letters of other widths are still the same name', async () => {
  for (const name of ['STRAẞE', 'ＳＴＲＡẞＥ', 'ſtraße']) {
    expect(await refs(`?column_names=${encodeURIComponent(name)}`), name).toEqual([ref(two, 1)])
  }
})

test('K13 BRD-29: a name of another spelling cannot stand beside the first', async () => {
  const board = await workspace.board({ columns: [{ name: 'Straße', status: 'pending' }] })
  const add = (name: string) =>
    workspace.call('POST', `/boards/${board.id}/columns`, { name, status: 'pending' })
  const answers = [await add('STRAẞE'), await add('ＳＴＲＡＳＳＥ'), await add('Strase')]
  expect(answers.map(({ status }) => status)).toEqual([409, 409, 201])
})

test('BRD-30: two column names give both', async () => {
  expect(await refs('?column_names=to%20do,done')).toEqual([ref(one, 1), ref(one, 2), ref(two, 2)].sort())
})

test('BRD-31: a column that nothing bears gives no rows, also with characters of patterns', async () => {
  for (const name of ['nothing', '%', '_o do', 'To%']) {
    const { status, body } = await ask(`?column_names=${encodeURIComponent(name)}`)
    expect({ status, body }).toEqual({ status: 200, body: { items: [], total: 0 } })
  }
})

test('BRD-G10: different filters all have to hold', async () => {
  expect(await refs('?column_names=done&has_pr=true')).toEqual([ref(two, 2)])
  expect(await refs('?board_type=product&status=done')).toEqual([ref(one, 2)])
})

test('BRD-32 BRD-G11: has_pr filters both ways, in any case', async () => {
  expect(await refs('?has_pr=true')).toEqual([ref(one, 1), ref(two, 2)].sort())
  expect(await refs('?has_pr=FALSE')).toEqual([ref(one, 2), ref(two, 1)].sort())
})

test.each(['has_pr=1', 'has_pr=', 'has_pr=yes', 'has_pr=true,false'])('BRD-32: %s is 400', async (query) => {
  expect((await ask(`?${query}`)).status).toBe(400)
})

test('BRD-33 BRD-G12: one foreign or unknown board refuses the whole call, both alike', async () => {
  const unknown = '00000000-0000-4000-8000-000000000000'
  const answers = await Promise.all([foreign.id, unknown].map((id) => ask(`?board_ids=${one.id},${id}`)))
  for (const { status, body } of answers) {
    expect(status).toBe(403)
    expect(body).toEqual({ detail: 'A named board belongs to another workspace' })
  }
})

test.each(['since=yesterday', 'since=2026-01-01', 'status=open', 'board_type=%20', 'board_ids=x', 'since='])(
  'BRD-G13: %s is 400',
  async (query) => expect((await ask(`?${query}`)).status).toBe(400),
)

test('BRD-G14: without paging the total is the number of items; pages are opt-in', async () => {
  const { body } = await ask()
  expect(body.items).toHaveLength(body.total)
  const [first, second] = [await ask('?per_page=3'), await ask('?per_page=3&page=2')]
  expect(first.body.total).toBe(4)
  expect([...first.body.items, ...second.body.items]).toEqual(body.items)
})

test('AUTH-12: without a token it is 401', async () => {
  expect((await server.get('/api/v1/board/master/tasks')).status).toBe(401)
})
