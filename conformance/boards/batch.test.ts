import { json, newToken } from '@crewhall/testkit/people.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { dumpOf } from './board-dump.ts'
import { type Board, BoardWorkspace, type Card } from './board-workspace.ts'

const server = useSharedServer('product')
let workspace: BoardWorkspace
let board: Board
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  board = await workspace.board()
})

interface Written {
  task_id: string
  ref: string
  version: number
  column: string
  over_limit: boolean
}
interface Result {
  status: number
  task?: Written
  changed?: string[]
  children?: Written[]
  detail?: unknown
}
interface Answered {
  results: Result[]
  detail: unknown
}

const write = (on: { id: string }, body: object, { by = workspace, query = '', headers = {} } = {}) =>
  by.call<Answered>('POST', `/boards/${on.id}/tasks:batch${query}`, body, headers)
const batch = (on: Board, operations: readonly object[]) => write(on, { operations })
const whole = (on: Board, operations: readonly object[]) => write(on, { atomic: true, operations })
const idsOf = ({ results }: Answered) => results.map(({ task }) => task?.task_id)

test('a batch creates, changes, moves and archives, and answers with a receipt for each', async () => {
  const [first, second, third] = [
    await workspace.card(board),
    await workspace.card(board),
    await workspace.card(board),
  ]
  const { status, body } = await batch(board, [
    { op: 'create', task: { title: 'New', labels: ['a', 'b'], column: 'Review' } },
    { op: 'change', task_id: first.id, change: { title: 'Renamed', status: 'in_progress' } },
    { op: 'move', task_id: second.id, after_id: third.id },
    { op: 'archive', task_id: third.id },
  ])
  expect(status).toBe(207)
  expect(body.results.map((each) => each.status)).toEqual([201, 200, 200, 200])
  const [made, changed, moved, archived] = body.results
  expect(made?.task).toMatchObject({ version: 1, column: 'Review', over_limit: false })
  expect(changed).toMatchObject({ task: { version: 2, column: 'In progress' } })
  expect(changed?.changed?.toSorted()).toEqual(['column', 'status', 'title'])
  expect(moved).toMatchObject({ task: { task_id: second.id, version: 2 }, changed: [] })
  expect(archived?.task).toMatchObject({ task_id: third.id, version: 2 })
  expect(await workspace.read({ ...first, id: made?.task?.task_id ?? '' })).toMatchObject({
    title: 'New',
    labels: ['a', 'b'],
    ref: made?.task?.ref,
  })
  expect(await workspace.read(third)).toMatchObject({ archived_at: expect.any(String) })
})

test('a card comes with its children and relations in one operation', async () => {
  const elsewhere = await workspace.board()
  const blocker = await workspace.card(elsewhere)
  const { status, body } = await whole(board, [
    {
      op: 'create',
      task: { title: 'Epic', labels: ['big'] },
      children: [{ title: 'One' }, { title: 'Two', column: 'Review' }],
      relations: [{ kind: 'blocked_by', other_id: blocker.id }],
    },
  ])
  expect(status).toBe(200)
  const [made] = body.results
  expect(made?.children).toMatchObject([{ column: 'To do' }, { column: 'Review' }])
  const epic = await workspace.read({ ...blocker, id: made?.task?.task_id ?? '' })
  expect(epic).toMatchObject({ children_count: 2, blocked_by: [blocker.id], open_blockers: 1 })
  for (const child of made?.children ?? [])
    expect(await workspace.read({ ...blocker, id: child.task_id })).toMatchObject({ parent_id: epic.id })
  // It waits for a card of another board, and becomes free when that ends in a batch of that board.
  await batch(elsewhere, [{ op: 'change', task_id: blocker.id, change: { status: 'done' } }])
  expect(await workspace.read(epic)).toMatchObject({ open_blockers: 0, is_ready: true })
})

describe('an operation that is refused', () => {
  const columns = [
    { name: 'To do', status: 'pending' },
    { name: 'Full', status: 'in_progress', wip_limit: 1 },
    { name: 'Done', status: 'done' },
  ]
  let strict: Board
  let held: Card
  let gone: Card
  let foreign: Card
  let elsewhere: Card
  beforeAll(async () => {
    strict = await workspace.board({ columns, wip_limits: 'enforced' })
    await workspace.card(strict, { column: 'Full', client_ref: 'taken' })
    held = await workspace.card(strict)
    await workspace.call('POST', `/tasks/${held.id}/claim`, { worker: 'one' })
    gone = await workspace.card(strict)
    await workspace.call('POST', `/tasks/${gone.id}/archive`)
    elsewhere = await workspace.card(board)
    const stranger = await BoardWorkspace.open(server)
    foreign = await stranger.card(await stranger.board())
  })

  const refusals = (): [string, object, [string, string, object?]][] => {
    const path = `/tasks/${held.id}`
    const make = `/boards/${strict.id}/tasks`
    const patch = (change: object): [object, [string, string, object?]] => [
      { op: 'change', task_id: held.id, change },
      ['PATCH', path, change],
    ]
    const create = (task: object): [object, [string, string, object?]] => [
      { op: 'create', task },
      ['POST', make, task],
    ]
    const relate = (id: string): [object, [string, string, object?]] => [
      { op: 'create', task: { title: 'x' }, relations: [{ kind: 'relates', other_id: id }] },
      ['PUT', `${path}/relations/relates/${id}`],
    ]
    const move = (body: object): [object, [string, string, object?]] => [
      { op: 'move', task_id: held.id, ...body },
      ['POST', `${path}/move`, body],
    ]
    const archive = (id: string, body: object): [object, [string, string, object?]] => [
      { op: 'archive', task_id: id, ...body },
      ['POST', `/tasks/${id}/archive`, body],
    ]
    return [
      ['an unknown column', ...create({ title: 'x', column: 'Nowhere' })],
      ['a column and a status that disagree', ...create({ title: 'x', column: 'Full', status: 'done' })],
      ['a status without a column', ...create({ title: 'x', status: 'review' })],
      ['a full column', ...create({ title: 'x', column: 'Full' })],
      ['a client_ref twice', ...create({ title: 'x', client_ref: 'taken' })],
      ['an unknown member', ...create({ title: 'x', assignee: { kind: 'member', id: 2_000_000_000 } })],
      ['a change into a full column', ...patch({ status: 'in_progress' })],
      ['a change of an old version', ...patch({ title: 'x', if_version: 7 })],
      ['a change under a lost claim', ...patch({ title: 'x', claim_epoch: 9 })],
      ['a move into a full column', ...move({ column: 'Full' })],
      ['a move of an old version', ...move({ if_version: 7 })],
      ['a move beside a card elsewhere', ...move({ after_id: elsewhere.id })],
      ['a move beside a foreign card', ...move({ before_id: foreign.id })],
      ['an end under a lost claim', ...archive(held.id, { claim_epoch: 9 })],
      [
        'a change of an archived card',
        { op: 'change', task_id: gone.id, change: { title: 'x' } },
        ['PATCH', `/tasks/${gone.id}`, { title: 'x' }],
      ],
      ['a foreign card', ...archive(foreign.id, {})],
      ['a relation to a foreign card', ...relate(foreign.id)],
      ['a relation to a missing card', ...relate('00000000-0000-4000-8000-000000000000')],
    ]
  }

  test('is answered as by its single call, writes nothing, and does not stop the others', async () => {
    const before = await dumpOf(workspace)
    const single = []
    for (const [name, , [method, path, body]] of refusals()) {
      const answer = await workspace.call<{ detail: unknown }>(method, path, body)
      single.push({ name, status: answer.status, detail: answer.body.detail })
    }
    const { status, body } = await batch(
      strict,
      refusals().map(([, operation]) => operation),
    )
    expect(status).toBe(207)
    expect(body.results.map((each, at) => ({ name: refusals()[at]?.[0], ...each }))).toEqual(single)
    expect(single.every((each) => each.status >= 400)).toBe(true)
    expect(await dumpOf(workspace)).toEqual(before)
    const mixed = refusals().flatMap(([, operation], at) => [
      operation,
      { op: 'create', task: { title: `between ${at}` } },
    ])
    const { body: rest } = await batch(strict, mixed)
    expect(rest.results.filter((each) => each.status === 201)).toHaveLength(refusals().length)
    const { body: all } = await workspace.list(strict, '?per_page=100&detail=summary')
    expect(all.items.filter(({ title }) => title.startsWith('between'))).toHaveLength(refusals().length)
  })

  test('undoes an atomic batch: no row of boards differs', async () => {
    const before = await dumpOf(workspace)
    for (const [name, operation] of refusals()) {
      const { status, body } = await whole(strict, [
        { op: 'create', task: { title: 'x' }, children: [{ title: 'y' }] },
        { op: 'change', task_id: held.id, change: { status: 'done' } },
        { op: 'create', task: { title: 'z' } },
        operation,
        { op: 'create', task: { title: 'after' } },
      ])
      expect([name, status, body.detail]).toMatchObject([
        name,
        409,
        { error: 'operation_refused', operation: 3, status: expect.any(Number) },
      ])
    }
    expect(await dumpOf(workspace)).toEqual(before)
  })

  test('is one with a card of another board or workspace, and tells nothing about it', async () => {
    const missing = '00000000-0000-4000-8000-000000000000'
    const { body } = await batch(
      strict,
      [elsewhere.id, foreign.id, missing].flatMap((task_id) => [
        { op: 'change', task_id, change: { title: 'x' } },
        { op: 'move', task_id },
        { op: 'archive', task_id },
      ]),
    )
    expect(body.results).toEqual(Array(9).fill({ status: 404, detail: 'Card not found' }))
  })

  test('is one with a version that has passed', async () => {
    const card = await workspace.card(strict)
    const { body } = await batch(strict, [
      { op: 'change', task_id: card.id, change: { title: 'One', if_version: 1 } },
      { op: 'change', task_id: card.id, change: { title: 'Two', if_version: 1 } },
      { op: 'archive', task_id: card.id, if_version: 1 },
      { op: 'archive', task_id: card.id, if_version: 2 },
    ])
    expect(body.results.map(({ status }) => status)).toEqual([200, 409, 412, 200])
  })
})

test('a limit that is only shown is told for each card', async () => {
  const columns = [{ name: 'To do', status: 'pending', wip_limit: 2 }]
  const lax = await workspace.board({ columns })
  const { body } = await batch(
    lax,
    [1, 2, 3].map((n) => ({ op: 'create', task: { title: `${n}` } })),
  )
  expect(body.results.map(({ task }) => task?.over_limit)).toEqual([false, false, true])
})

test('a batch has at most 100 operations, children and relations included', async () => {
  const create = { op: 'create', task: { title: 'x' } }
  const parent = { ...create, children: Array(50).fill({ title: 'y' }) }
  expect((await batch(board, Array(101).fill(create))).status).toBe(400)
  expect((await batch(board, [])).status).toBe(400)
  expect((await batch(board, [parent, parent])).status).toBe(400)
  const { status, body } = await batch(board, [parent, ...Array(49).fill(create)])
  expect([status, body.results.length, body.results[0]?.children?.length]).toEqual([207, 50, 50])
})

test('an archived board and a missing one take no batch', async () => {
  const away = await workspace.board()
  await workspace.call('POST', `/boards/${away.id}/archive`)
  const operations = [{ op: 'create', task: { title: 'x' } }]
  expect(await batch(away, operations)).toMatchObject({
    status: 409,
    body: { detail: 'This board is archived' },
  })
  const stranger = await BoardWorkspace.open(server)
  const foreign = await stranger.board()
  for (const id of [foreign.id, '00000000-0000-4000-8000-000000000000'])
    expect(await write({ id }, { operations })).toMatchObject({
      status: 404,
      body: { detail: 'Board not found' },
    })
})

test('a batch with a key is written once, and one that is a dry run not at all', async () => {
  const on = await workspace.board()
  const body = { operations: [{ op: 'create', task: { title: 'Once' }, children: [{ title: 'Child' }] }] }
  const before = await dumpOf(workspace)
  const dry = await write(on, body, { query: '?dry_run=true' })
  expect([dry.status, dry.headers.get('dry-run')]).toEqual([207, 'true'])
  expect(dry.body.results[0]).toMatchObject({ status: 201, task: { ref: `${on.key}-1` } })
  expect(await dumpOf(workspace)).toEqual(before)
  const headers = { 'idempotency-key': `batch-${on.id}` }
  const first = await write(on, body, { headers })
  const again = await write(on, body, { headers })
  expect(idsOf(again.body)).toEqual(idsOf(first.body))
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect((await workspace.list(on)).body.total).toBe(2)
})

test('what an agent writes in a batch is recorded as its own', async () => {
  const path = `/api/v1/brands/${workspace.owner.brand_id}/tokens`
  const order = json({ name: 'robot', scopes: [], agent: 'robot' }, { cookie: workspace.owner.cookie })
  const { token } = (await (await server.get(path, order)).json()) as { token: string }
  const operations = [
    { op: 'create', task: { title: 'a' } },
    { op: 'create', task: { title: 'b' } },
  ]
  const { body } = await write(board, { operations }, { by: workspace.as(token) })
  for (const id of idsOf(body)) {
    const card = await workspace.read({ id } as Card)
    expect(card).toMatchObject({ source: 'agent', created_by: { kind: 'agent', name: 'robot' } })
  }
})

test('a member writes a batch, a token of another workspace does not', async () => {
  const { token } = await workspace.newMember()
  const operations = [{ op: 'create', task: { title: 'x' } }]
  expect((await write(board, { operations }, { by: workspace.as(token) })).status).toBe(207)
  const stranger = await BoardWorkspace.open(server)
  const { token: other } = await newToken((p, init) => server.get(p, init), stranger.owner, [])
  expect((await write(board, { operations }, { by: workspace.as(other) })).status).toBe(404)
})

test('a single creation answers with a receipt when it is asked to', async () => {
  const answer = await workspace.call('POST', `/boards/${board.id}/tasks?return=receipt`, { title: 'Short' })
  expect([answer.status, Object.keys(answer.body)]).toEqual([
    201,
    ['task_id', 'ref', 'version', 'column', 'over_limit'],
  ])
})
