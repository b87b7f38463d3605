import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card, columnOf, type Receipt } from './board-workspace.ts'

const server = useSharedServer('product')
let workspace: BoardWorkspace
let other: BoardWorkspace
let board: Board
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  other = await BoardWorkspace.open(server)
  board = await workspace.board()
})

const fields = async (of: Board, detail: string) =>
  Object.keys((await workspace.list(of, `?detail=${detail}`)).body.items[0] ?? {})

describe('lists', () => {
  let many: Board
  beforeAll(async () => {
    many = await workspace.board()
    const columns = ['To do', 'Done', 'In progress']
    for (let n = 1; n <= 9; n += 1) {
      await workspace.card(many, { title: `Card ${n}`, column: columns[n % 3], instructions: 'Do it' })
    }
  })

  test('BRD-01: cards come with total, page and per_page', async () => {
    const { status, body } = await workspace.list(many)
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['items', 'total', 'page', 'per_page'])
    expect(body).toMatchObject({ total: 9, page: 1, per_page: 50 })
    expect(body.items).toHaveLength(9)
  })

  test('BRD-02 BRD-03: without detail the answer is that of standard, to the byte', async () => {
    const [plain, standard] = [await workspace.list(many), await workspace.list(many, '?detail=standard')]
    expect(plain.text).toBe(standard.text)
    for (const detail of ['summary', 'full']) {
      expect((await workspace.list(many, `?detail=${detail}`)).status).toBe(200)
    }
  })

  test.each(['Summary', 'all', '', 'summary,full'])('BRD-04: the detail %j is 400', async (detail) => {
    expect((await workspace.list(many, `?detail=${detail}`)).status).toBe(400)
  })

  test('BRD-05: summary gives identity, status, column, assignee, the delivery header and the source', async () => {
    expect(await fields(many, 'summary')).toEqual([
      'id',
      'ref',
      'title',
      'status',
      'column',
      'assignee',
      'branch',
      'pr_number',
      'pr_state',
      'source',
    ])
  })

  test('BRD-06: every detail has the same cards in the same order, and the same total', async () => {
    const pages = await Promise.all(
      ['summary', 'standard', 'full'].map(
        async (detail) => (await workspace.list(many, `?detail=${detail}`)).body,
      ),
    )
    const ids = pages.map(({ items }) => items.map(({ id }) => id))
    expect(ids[0]).toEqual(ids[1])
    expect(ids[1]).toEqual(ids[2])
    expect(pages.map(({ total }) => total)).toEqual([9, 9, 9])
  })

  test('BRD-07: full is standard plus the long texts of instruction and result', async () => {
    const [standard, full] = [await fields(many, 'standard'), await fields(many, 'full')]
    expect(full.filter((name) => !standard.includes(name))).toEqual([
      'instructions',
      'acceptance_criteria',
      'plan',
      'notes',
      'result',
      'review',
      'log',
    ])
    expect(standard.filter((name) => !full.includes(name))).toEqual([])
  })

  test('BRD-08 BRD-G1: a full card has 67 fields, in lists and on its own', async () => {
    expect(await fields(many, 'full')).toHaveLength(67)
    const [first] = (await workspace.list(many, '?detail=full')).body.items
    const alone = await workspace.read(first as Card)
    expect(Object.keys(alone)).toHaveLength(67)
    expect(alone).toEqual(first)
  })

  test('BRD-G4: by column, then by rank', async () => {
    const { items } = (await workspace.list(many)).body
    expect(items.map(({ title }) => title)).toEqual([
      'Card 3',
      'Card 6',
      'Card 9',
      'Card 2',
      'Card 5',
      'Card 8',
      'Card 1',
      'Card 4',
      'Card 7',
    ])
  })

  test('BRD-13: a page of 100 works', async () => {
    expect((await workspace.list(many, '?per_page=100')).body).toMatchObject({ total: 9, per_page: 100 })
  })

  test.each(['per_page=0', 'per_page=101', 'page=0', 'page=-1', 'page=x', 'per_page=', 'page=1.5'])(
    'BRD-G3: %s is 400',
    async (query) => expect((await workspace.list(many, `?${query}`)).status).toBe(400),
  )

  test('BRD-G3: pages follow one another without gap, and one past the end is empty', async () => {
    const all = (await workspace.list(many)).body.items.map(({ id }) => id)
    const paged: string[] = []
    for (let page = 1; page <= 5; page += 1) {
      const { items, total } = (await workspace.list(many, `?per_page=2&page=${page}`)).body
      expect(total).toBe(9)
      paged.push(...items.map(({ id }) => id))
    }
    expect(paged).toEqual(all)
    expect((await workspace.list(many, '?page=1000000000&per_page=100')).body).toMatchObject({
      items: [],
      total: 9,
    })
  })
})

test('BRD-09 BRD-10 BRD-11: a card names itself, its place and its delivery', async () => {
  const card = await workspace.card(board, { agent_context: { profile: 'claude.hard' }, branch: 'fix/x' })
  expect(card).toMatchObject({
    ref: expect.stringMatching(/^[A-Z]+-\d+$/),
    status: 'pending',
    column: { name: 'To do' },
    pr_number: null,
    branch: 'fix/x',
    board: board.name,
    agent_context: { profile: 'claude.hard' },
  })
  const { body } = await workspace.patch(card, { pr_number: 12, status: 'in_progress' })
  expect(body).toMatchObject({ pr_number: 12, status: 'in_progress', column: { name: 'In progress' } })
})

test.each(['coding', 'docs', 'research', 'design', 'test'])(
  'BRD-12: %s is a task type',
  async (task_type) => {
    expect((await workspace.card(board, { task_type })).task_type).toBe(task_type)
  },
)

test('BRD-G2: six statuses stand behind columns, and a card has that of its column', async () => {
  const statuses = ['pending', 'in_progress', 'blocked', 'review', 'done', 'canceled']
  const own = await workspace.board({ columns: statuses.map((status) => ({ name: `In ${status}`, status })) })
  for (const status of statuses) {
    expect(await workspace.card(own, { status })).toMatchObject({ status, column: { name: `In ${status}` } })
  }
  const path = `/boards/${own.id}/tasks`
  expect((await workspace.call('POST', path, { title: 'x', status: 'open' })).status).toBe(400)
})

test('BRD-12: another task type is 400', async () => {
  const answer = await workspace.call('POST', `/boards/${board.id}/tasks`, {
    title: 'x',
    task_type: 'cooking',
  })
  expect(answer.status).toBe(400)
})

test('BRD-14: the cards of another workspace are 403', async () => {
  const foreign = await other.board()
  const { status, body } = await workspace.list(foreign)
  expect(status).toBe(403)
  expect(body).toEqual({ detail: 'The token is for another workspace than this board' })
})

test.each(['00000000-0000-4000-8000-000000000000', 'nothing', '%00'])(
  'BRD-15: there is no board %s',
  async (id) => {
    const { status, body } = await workspace.call('GET', `/boards/${id}/tasks`)
    expect({ status, body }).toEqual({ status: 404, body: { detail: 'Board not found' } })
  },
)

describe('changes', () => {
  let card: Card
  let own: Board
  beforeAll(async () => {
    own = await workspace.board()
    card = await workspace.card(own)
  })

  test('BRD-16 BRD-G8: without return the whole card is answered, with 200', async () => {
    const { status, body } = await workspace.patch(card, { title: 'Another title' })
    expect(status).toBe(200)
    expect(Object.keys(body)).toHaveLength(67)
    expect(body.title).toBe('Another title')
    expect(await workspace.read(card)).toEqual(body)
  })

  test.each(['x', 'Receipt', ''])('BRD-17: return=%s is 400 and writes nothing', async (value) => {
    const before = await workspace.read(card)
    const { status } = await workspace.patch(card, { title: 'Not written' }, `?return=${value}`)
    expect(status).toBe(400)
    expect(await workspace.read(card)).toEqual(before)
  })

  test('BRD-18 BRD-19: a receipt tells what changed, from what to what, and nothing else', async () => {
    const fresh = await workspace.card(own, { title: 'Before', priority: 'low' })
    const change = { title: 'After', priority: 'low', status: 'review', labels: ['a', 'b'] }
    const { status, body } = await workspace.patch<Receipt>(fresh, change, '?return=receipt')
    expect(status).toBe(200)
    expect(body).toEqual({
      task_id: fresh.id,
      changed: {
        title: { from: 'Before', to: 'After' },
        status: { from: 'pending', to: 'review' },
        column: { from: fresh.column, to: { id: columnOf(own, 'Review').id, name: 'Review' } },
        labels: { from: [], to: ['a', 'b'] },
      },
      from_column: 'To do',
      to_column: 'Review',
    })
  })

  test('BRD-19 BRD-G5: a change of nothing has an empty receipt and both columns are the present one', async () => {
    const before = await workspace.read(card)
    const change = { title: before.title, agent_context: before.agent_context, column: 'To do' }
    const { body } = await workspace.patch<Receipt>(card, change, '?return=receipt')
    expect(body).toEqual({ task_id: card.id, changed: {}, from_column: 'To do', to_column: 'To do' })
    expect(await workspace.read(card)).toEqual(before)
  })

  test('BRD-20: return in the body is ignored and not kept', async () => {
    const { status, body } = await workspace.patch(card, { return: 'receipt', title: 'Whole' })
    expect(status).toBe(200)
    expect(Object.keys(body)).toHaveLength(67)
    expect(body).not.toHaveProperty('return')
  })

  test('BRD-21: a column and a status that disagree are 409, and nothing is written', async () => {
    const before = await workspace.read(card)
    const { status, body } = await workspace.patch(card, { column: 'Done', status: 'pending', title: 'No' })
    expect(status).toBe(409)
    expect(body).toEqual({ detail: 'The column has a different status' })
    expect(await workspace.read(card)).toEqual(before)
  })

  test('BRD-21: a column and a status that agree pass', async () => {
    const { status, body } = await workspace.patch(card, { column: 'Done', status: 'done' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ status: 'done', column: { name: 'Done' } })
  })

  test('BRD-G6: of only a status the column follows, of only a column the status', async () => {
    expect((await workspace.patch(card, { status: 'in_progress' })).body.column.name).toBe('In progress')
    expect((await workspace.patch(card, { column: 'Review' })).body.status).toBe('review')
    const { status, body } = await workspace.patch(card, { status: 'blocked' })
    expect({ status, body }).toEqual({
      status: 409,
      body: { detail: 'No column of the board has this status' },
    })
  })

  test('BRD-G7: a column is named by id or by name; unknown fields are ignored', async () => {
    const { id } = columnOf(own, 'To do')
    expect((await workspace.patch(card, { column: id })).body.column).toEqual({ id, name: 'To do' })
    expect((await workspace.patch(card, { column: ' in PROGRESS ' })).body.column.name).toBe('In progress')
    expect((await workspace.patch(card, { column: 'Nowhere' })).status).toBe(400)
    const foreign = await workspace.board()
    expect((await workspace.patch(card, { column: foreign.columns[0]?.id })).status).toBe(400)
    const before = await workspace.read(card)
    const sent = { brand_id: 1, board_id: foreign.id, number: 7, id: foreign.id, version: 99, strange: true }
    expect((await workspace.patch(card, sent)).body).toEqual(before)
  })

  test('BRD-22 BRD-G18: no card, a foreign card and no id are one 404', async () => {
    const foreign = await other.card(await other.board())
    for (const id of [foreign.id, '00000000-0000-4000-8000-000000000000', 'nothing']) {
      const { status, body } = await workspace.call('PATCH', `/tasks/${id}`, { title: 'x' })
      expect({ status, body }).toEqual({ status: 404, body: { detail: 'Card not found' } })
    }
    expect((await other.read(foreign)).title).toBe('A card')
  })
})
