import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card } from './board-workspace.ts'

const server = useSharedServer('product')
let workspace: BoardWorkspace
let other: BoardWorkspace
let board: Board
let support: Board
let me: string

interface Facets {
  [name: string]: { value: string; name: string; count: number }[]
}
interface Found {
  items: { title: string; ref: string; id: string }[]
  total: number
  facets?: Facets
}

const canary = 'xylophonist'
const cards: Record<string, Card> = {}
const due = (day: number) => `2027-03-${String(day).padStart(2, '0')}T00:00:00Z`

beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  other = await BoardWorkspace.open(server)
  board = await workspace.board({ key: 'FIND' })
  support = await workspace.board({ key: 'HELP', board_type: 'support' })
  me = String(workspace.owner.person_id)
  const agent = { kind: 'agent', id: 'builder', name: 'Builder' }
  const add = async (on: Board, title: string, more: object = {}) => {
    cards[title] = await workspace.card(on, { title, ...more })
    return cards[title]
  }
  const plan = await add(board, 'plan', { labels: ['epic'], priority: 'urgent', due_at: due(1) })
  const door = await add(board, 'door', {
    labels: ['bug', 'two words'],
    priority: 'high',
    task_type: 'docs',
    assignee: { kind: 'member', id: me },
    delegate: agent,
    pr_number: 7,
    description: 'The hinge squeaks in cold weather.',
  })
  const window = await add(board, 'window', { labels: ['bug', "it's"], assignee: agent, due_at: due(5) })
  await add(support, 'roof', { priority: 'low', labels: ['feature'], due_at: due(9), column: 'Done' })
  await workspace.call('PUT', `/tasks/${plan.id}/relations/parent/${door.id}`)
  await workspace.call('PUT', `/tasks/${door.id}/relations/blocks/${window.id}`)
  await workspace.call('POST', `/tasks/${plan.id}/claim`, {})
  await workspace.call('POST', `/tasks/${window.id}/comments`, {
    body: 'The glazier measured the pane twice.',
  })
  const foreign = await other.board({ key: 'FIND' })
  const secret = await other.card(foreign, { title: `door ${canary}`, labels: ['bug'], description: canary })
  await other.call('POST', `/tasks/${secret.id}/comments`, { body: canary })
})

const search = async (query: string) => {
  const { status, body } = await workspace.call<Found>('GET', `/tasks:search?${query}`)
  return { status, body }
}
const titles = ({ body }: { body: Found }) => body.items.map(({ title }) => title)
const sorted = async (query: string) => titles(await search(query)).sort()

const filters: readonly [string, readonly string[]][] = [
  ['label=bug', ['door', 'window']],
  ['label=epic,feature', ['plan', 'roof']],
  ['label=two%20words', ['door']],
  ["label=it's", ['window']],
  ['label=BUG', []],
  ['priority=high,low', ['door', 'roof']],
  ['task_type=docs', ['door']],
  ['assignee=me', ['door']],
  ['assignee=agent:builder', ['window']],
  ['assignee=none', ['plan', 'roof']],
  ['assignee=me,agent:builder', ['door', 'window']],
  ['delegate=agent:builder', ['door']],
  ['delegate=none', ['plan', 'roof', 'window']],
  ['created_by=me', ['door', 'plan', 'roof', 'window']],
  ['created_by=agent:builder', []],
  ['has_pr=true', ['door']],
  ['has_pr=false&label=bug', ['window']],
  ['blocked=true', ['window']],
  ['blocked=false', ['door', 'plan', 'roof']],
  ['claimed=true', ['plan']],
  ['claimed=false', ['door', 'roof', 'window']],
  ['due_before=2027-03-05T00:00:00Z', ['plan']],
  ['due_after=2027-03-05T00:00:00Z', ['roof', 'window']],
  ['due_after=2027-03-02T00:00:00%2B01:00&due_before=2027-03-06T00:00:00Z', ['window']],
  ['parent=FIND-1', ['door']],
  ['parent=none', ['plan', 'roof', 'window']],
  ['status=done', ['roof']],
  ['column_names=DONE', ['roof']],
  ['board_type=support', ['roof']],
  ['label=bug&priority=high&has_pr=true&assignee=me', ['door']],
]

describe('filters', () => {
  test.each(filters)('%s', async (query, expected) => {
    const found = await search(query)
    expect(found.status).toBe(200)
    expect(titles(found).sort()).toEqual(expected)
    expect(found.body.total).toBe(expected.length)
  })

  const onMaster = filters.filter(([query]) => !query.startsWith('created'))
  test.each(onMaster)('over all boards by %s', async (query, expected) => {
    const { status, body } = await workspace.call<Found>('GET', `/master/tasks?${query}&detail=summary`)
    expect(status).toBe(200)
    expect(body.items.map(({ title }) => title).sort()).toEqual(expected)
  })

  const onBoard = filters.filter(([query]) => !/status|column|board_type/.test(query))
  test.each(onBoard)('on one board by %s, in every detail', async (query, expected) => {
    const here = expected.filter((title) => title !== 'roof')
    for (const detail of ['summary', 'standard', 'full']) {
      const { status, body } = await workspace.list(board, `?${query}&detail=${detail}`)
      expect(status).toBe(200)
      expect([body.items.map(({ title }) => title).sort(), body.total]).toEqual([here, here.length])
    }
  })

  test('a card leaves and enters what it is found by, and is not found while it is archived', async () => {
    const card = await workspace.card(board, { title: 'turning', labels: ['turn'] })
    const found = async (label: string) => (await sorted(`label=${label}`)).length
    expect([await found('turn'), await found('turned')]).toEqual([1, 0])
    await workspace.patch(card, { labels: ['turned'] })
    expect([await found('turn'), await found('turned')]).toEqual([0, 1])
    await workspace.call('POST', `/tasks/${card.id}/archive`, {})
    expect([await found('turned'), (await search('q=turning')).body.total]).toEqual([0, 0])
    await workspace.call('POST', `/tasks/${card.id}/restore`)
    expect([await found('turned'), (await search('q=turning')).body.total]).toEqual([1, 1])
    await workspace.call('POST', `/tasks/${card.id}/archive`, {})
  })
})

describe('words', () => {
  test.each([
    ['q=hinge', ['door']],
    ['q=squeaking', ['door']],
    ['q=glaz', ['window']],
    ['q=pane+twice', ['window']],
    ['q=door+hinge', ['door']],
    ['q=find-2', ['door']],
    ['q=hinge&label=epic', []],
    ['q=glazier&label=bug', ['window']],
    ['q=glazier&priority=urgent', []],
    ['q=the', []],
    ['q=!!!', []],
    [`q=${encodeURIComponent("' | ! & :* \\ ( <-> )")}`, []],
  ])('%s', async (query, expected) => {
    const found = await search(query)
    expect(found.status).toBe(200)
    expect(titles(found)).toEqual(expected)
  })

  test.each(['widnow', 'windw', 'windoow', 'wimdow', 'Wndow'])('%s is forgiven', async (word) => {
    expect(titles(await search(`q=${word}`))[0]).toBe('window')
  })

  test('a ref comes first, in any case, and obeys the filters', async () => {
    await workspace.card(board, { title: 'See HELP-1 for the gutter' })
    expect(titles(await search('q=help-1'))).toEqual(['roof', 'See HELP-1 for the gutter'])
    expect(titles(await search('q=HELP-1&label=bug'))).toEqual([])
    expect((await workspace.list(board, '?q=HELP-1')).body.items.map(({ title }) => title)).toEqual([
      'See HELP-1 for the gutter',
    ])
  })

  test('words of titles come before those of descriptions, and these before comments', async () => {
    const last = await workspace.card(board, { title: 'third' })
    await workspace.call('POST', `/tasks/${last.id}/comments`, { body: 'about the trellis' })
    await workspace.card(board, { title: 'second', description: 'about the trellis' })
    await workspace.card(board, { title: 'first, about the trellis' })
    expect(titles(await search('q=trellis'))).toEqual(['first, about the trellis', 'second', 'third'])
  })

  test('a comment is found as it is now, and no more when it is gone', async () => {
    const card = await workspace.card(board, { title: 'commented' })
    const { body } = await workspace.call<{ id: string }>('POST', `/tasks/${card.id}/comments`, {
      body: 'ocelot',
    })
    expect((await search('q=ocelot')).body.total).toBe(1)
    await workspace.call('PATCH', `/comments/${body.id}`, { body: 'margay' })
    expect([(await search('q=ocelot')).body.total, (await search('q=margay')).body.total]).toEqual([0, 1])
    await workspace.call('DELETE', `/comments/${body.id}`)
    expect((await search('q=margay')).body.total).toBe(0)
  })

  test('texts of any length and kind can be written and searched', async () => {
    const description = `${'x'.repeat(3000)} 'quoted' \\ back ${'語'.repeat(500)} lastword`
    await workspace.card(board, { title: `odd ${'é'.repeat(400)}`, description })
    expect((await search('q=lastword')).body.total).toBe(1)
    const card = cards.plan as Card
    const long = await workspace.call('POST', `/tasks/${card.id}/comments`, { body: 'ab cd '.repeat(10_000) })
    expect(long.status).toBe(201)
  })
})

describe('orders and pages', () => {
  test.each([
    ['sort=created', ['door', 'window']],
    ['sort=-created', ['window', 'door']],
    ['sort=-priority', ['door', 'window']],
    ['sort=priority', ['window', 'door']],
    ['sort=due', ['window', 'door']],
    ['sort=title', ['door', 'window']],
    ['sort=place', ['door', 'window']],
  ])('label=bug&%s', async (sort, expected) => {
    expect(titles(await search(`label=bug&${sort}`))).toEqual(expected)
  })

  test('pages of what is found hold each card once, and tell how many there are', async () => {
    const own = await workspace.board()
    for (let n = 0; n < 7; n += 1) await workspace.card(own, { title: `gazebo ${n}`, labels: ['many'] })
    for (const query of ['q=gazebo', 'label=many', 'q=gazebo&sort=title']) {
      const seen: string[] = []
      for (const page of [1, 2, 3, 4]) {
        const { body } = await search(`${query}&per_page=3&page=${page}`)
        expect(body.total).toBe(7)
        seen.push(...titles({ body }))
      }
      expect([...seen].sort()).toEqual([0, 1, 2, 3, 4, 5, 6].map((n) => `gazebo ${n}`))
    }
  })

  test('without pages, the cross-board list has all that match', async () => {
    const { body } = await workspace.call<Found>('GET', '/master/tasks?label=many')
    expect([body.items.length, body.total]).toEqual([7, 7])
  })
})

describe('facets', () => {
  test('tell how many of all that were found have each value, and take no notice of pages', async () => {
    const names = 'label,priority,assignee,status,column,board,task_type'
    const { body } = await search(`board_ids=${board.id}&label=bug&per_page=1&count_by=${names}`)
    expect(body.items).toHaveLength(1)
    expect(body.facets).toEqual({
      label: [
        { value: 'bug', name: 'bug', count: 2 },
        { value: "it's", name: "it's", count: 1 },
        { value: 'two words', name: 'two words', count: 1 },
      ],
      priority: [
        { value: 'high', name: 'high', count: 1 },
        { value: 'none', name: 'none', count: 1 },
      ],
      assignee: expect.arrayContaining([
        { value: 'agent:builder', name: 'Builder', count: 1 },
        { value: `member:${me}`, name: expect.any(String), count: 1 },
      ]),
      status: [{ value: 'pending', name: 'pending', count: 2 }],
      column: [{ value: 'To do', name: 'To do', count: 2 }],
      board: [{ value: board.id, name: board.name, count: 2 }],
      task_type: expect.any(Array),
    })
  })

  test('are there only when they are asked for, also where nothing is found', async () => {
    expect((await search('label=bug')).body).not.toHaveProperty('facets')
    expect((await search('q=glazier&count_by=label')).body.facets).toEqual({
      label: [
        { value: 'bug', name: 'bug', count: 1 },
        { value: "it's", name: "it's", count: 1 },
      ],
    })
    expect((await search('label=nothing&count_by=label')).body.facets).toEqual({ label: [] })
    const listed = await workspace.list(board, '?label=bug&count_by=priority&detail=full')
    expect(Object.keys((listed.body as unknown as Found).facets ?? {})).toEqual(['priority'])
  })
})

describe('refusals', () => {
  const refused = async (query: string) => {
    const { status, body } = await search(query)
    return [status, (body as unknown as { detail: string }).detail]
  }
  test('an unknown parameter is refused with the names there are', async () => {
    const [status, detail] = await refused('lable=bug')
    expect(status).toBe(400)
    expect(detail).toMatch(/^lable: unknown parameter; there are assignee, blocked, .*, task_type$/)
  })
  test.each([
    ['q=', 'q: must be 1 to 200 characters long'],
    [`q=${'x'.repeat(201)}`, 'q: must be 1 to 200 characters long'],
    ['assignee=nobody', 'assignee.0: must be me, none, the id of a member, or agent:id'],
    ['priority=huge', 'priority.0: must be one of: none, low, medium, high, urgent'],
    ['blocked=yes', 'blocked: must be one of: true, false'],
    ['due_before=tomorrow', 'due_before: must be an ISO 8601 time with its zone'],
    ['parent=FIND-99999', 'parent: no such card of the workspace'],
    ['parent=00000000-0000-4000-8000-000000000000', 'parent: no such card of the workspace'],
    ['parent=x', expect.stringMatching(/^parent: must be .*the id or the ref of a card$/)],
  ])('%s', async (query, detail) => {
    expect(await refused(query)).toEqual([400, detail])
  })
  test('a cursor and a filter do not go together', async () => {
    const { status, body } = await workspace.list(board, '?cursor=start&label=bug')
    expect([status, body]).toEqual([
      400,
      { detail: 'cursor: must not be combined with q, filters, sort or count_by' },
    ])
  })
})

describe('another workspace', () => {
  test('its words, facts and refs find nothing here', async () => {
    for (const query of [`q=${canary}`, `q=${canary.slice(0, 5)}`, `q=${canary}s`, `q=door+${canary}`]) {
      const text = JSON.stringify((await search(`${query}&count_by=label,board,assignee`)).body)
      expect(text).not.toContain(canary)
    }
    expect(await sorted('label=bug')).toEqual(['door', 'window'])
  })

  test('its boards are refused, and its list is', async () => {
    const { body } = await other.call<{ items: { id: string }[] }>('GET', '/boards')
    const id = body.items[0]?.id ?? ''
    expect((await search(`board_ids=${id}&q=door`)).status).toBe(403)
    expect((await workspace.call('GET', `/boards/${id}/tasks?q=door`)).status).toBe(403)
    expect((await workspace.call('GET', `/master/tasks?board_ids=${id}&label=bug`)).status).toBe(403)
  })
})
