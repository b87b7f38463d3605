import type { Import } from '@crewhall/contracts/boards/imports.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { dumpOf } from './board-dump.ts'
import { BoardWorkspace, columnOf } from './board-workspace.ts'
import { ended, importOf, upload } from './import-calls.ts'

const server = useServer('product')
let workspace: BoardWorkspace
beforeAll(async () => {
  await server.start('worker')
  workspace = await BoardWorkspace.open(server)
})

const start = (id: string, body: object = {}, query = '') =>
  workspace.call<Import>('POST', `/imports/${id}:start${query}`, body)
const undo = (id: string, body: object = {}) => workspace.call<Import>('POST', `/imports/${id}:undo`, body)

const linear = `"ID","Team","Title","Description","Status","Estimate","Priority","Creator","Assignee","Labels","Created","Due Date","Parent issue"
"ENG-2","Eng","Child","Some ""text""
in two lines","In Review","3","High","a@b.c","nobody@example.test","ui, backend","2024-01-15T10:00:00.000Z","2024-02-01","ENG-1"
"ENG-1","Eng","Parent","","Todo","","No priority","a@b.c","","","2024-01-14T10:00:00.000Z","",""
"ENG-3","Eng","","no title","Done","","","","","","","",""
"ENG-4","Eng","Odd date","","Done","","","","","","","soon",""
`

test('a dry run shows what would be made, and stores no card', async () => {
  const board = await workspace.board()
  const before = await dumpOf(workspace)
  const { status, body } = await upload(workspace, board, linear)
  expect(status).toBe(201)
  expect(body).toMatchObject({
    source: 'linear',
    state: 'draft',
    rows_total: 2,
    problem_count: 2,
    problems: [
      { row: 4, problem: 'there is no title' },
      { row: 5, problem: 'this is no date: soon' },
    ],
    people: [{ name: 'nobody@example.test', rows: 1, user_id: null }],
    states: [
      { name: 'In Review', rows: 1, column_id: columnOf(board, 'Review').id },
      { name: 'Todo', rows: 1, column_id: columnOf(board, 'To do').id },
    ],
  })
  expect(body.first_cards[0]).toMatchObject({ title: 'Child', column: 'Review', labels: ['ui', 'backend'] })
  const { person_id: user_id } = workspace.owner
  const mapped = { people: { 'nobody@example.test': user_id }, states: { Todo: 'Done' } }
  const tried = await start(body.id, mapped, '?dry_run=true')
  expect(tried.status).toBe(200)
  expect(tried.body.first_cards).toMatchObject([
    { column: 'Review', assignee: expect.any(String) },
    { column: 'Done' },
  ])
  expect((await importOf(workspace, body.id)).state).toBe('draft')
  expect((await undo(body.id)).body.state).toBe('undone')
  const after = await dumpOf(workspace)
  for (const table of Object.keys(before))
    if (table !== 'boards.imports') expect([table, after[table]]).toEqual([table, before[table]])
})

test('cards of Linear are made with their parents, labels, dates and people, and agents do not take them', async () => {
  const board = await workspace.board()
  const { body } = await upload(workspace, board, linear)
  const { person_id: user_id } = workspace.owner
  expect((await start(body.id, { people: { 'nobody@example.test': user_id } })).status).toBe(200)
  expect(await ended(workspace, body.id)).toMatchObject({ state: 'done', rows_done: 2, cards_made: 2 })
  const { items } = (await workspace.list(board, '?detail=full')).body
  const [parent, child] = ['linear:ENG-1', 'linear:ENG-2'].map((ref) =>
    items.find(({ client_ref }) => client_ref === ref),
  )
  expect(child).toMatchObject({
    title: 'Child',
    column: { name: 'Review' },
    labels: ['ui', 'backend'],
    priority: 'high',
    estimate: 3,
    due_at: '2024-02-01T00:00:00.000000Z',
    parent_id: parent?.id,
    source: 'import',
    is_ready: false,
    assignee: { id: String(user_id) },
    created_by: { kind: 'member', id: String(user_id) },
  })
  expect(child?.description).toContain('Some "text"\nin two lines')
  expect(child?.description).toContain(
    'Imported from Linear: ENG-2, created 2024-01-15T10:00:00.000Z, by a@b.c',
  )
  expect((await workspace.call('POST', `/boards/${board.id}/claim-next`, {})).status).not.toBe(201)
  const work = await workspace.call<{ task: unknown }>('POST', '/work:next', { board_ids: [board.id] })
  expect(JSON.stringify(work.body)).not.toContain('Parent')
  // The same file again makes nothing.
  const again = await upload(workspace, board, linear)
  expect(again.body.first_cards.every(({ exists }) => exists)).toBe(true)
  await start(again.body.id)
  expect(await ended(workspace, again.body.id)).toMatchObject({ cards_made: 0, rows_skipped: 2 })
})

test('an undo keeps what was changed since and names it, unless it is forced', async () => {
  const board = await workspace.board()
  const own = await workspace.card(board, { title: 'Own', labels: ['x'] })
  const { body } = await upload(workspace, board, 'title,labels\nOne,x;y\nTwo,y\nThree,\nFour,\n')
  await start(body.id, { for_agents: true })
  await ended(workspace, body.id)
  const { items } = (await workspace.list(board)).body
  const [one, two, three] = ['One', 'Two', 'Three'].map((title) => items.find((card) => card.title === title))
  if (!one || !two || !three) throw new Error('cards are missing')
  expect(one).toMatchObject({ source: 'member', is_ready: true })
  await workspace.patch(one, { title: 'One of ours' })
  await workspace.call('POST', `/tasks/${two.id}/comments`, { body: 'Mine' })
  await workspace.call('PUT', `/tasks/${own.id}/relations/blocked_by/${three.id}`)
  await undo(body.id)
  const left = await ended(workspace, body.id)
  expect(left).toMatchObject({ state: 'undone', cards_removed: 1, kept_count: 3 })
  expect(left.kept.toSorted()).toEqual([one.id, two.id, three.id].toSorted())
  await undo(body.id, { force: true })
  await workspace.call('GET', `/imports/${body.id}`)
  expect(await ended(workspace, body.id)).toMatchObject({ cards_removed: 4, kept_count: 0 })
  expect((await workspace.list(board)).body.items).toMatchObject([
    { id: own.id, open_blockers: 0, blocked_by: [] },
  ])
  const labels = await workspace.call<{ items: object[] }>('GET', `/boards/${board.id}/labels`)
  expect(labels.body.items).toMatchObject([{ name: 'x', card_count: 1 }])
  const board_now = (await workspace.call('GET', `/boards/${board.id}`)).body
  expect(board_now).toMatchObject({ card_count: 1 })
})

const utf16 = Buffer.from('\ufefftitle\nOne\n', 'utf16le')
const latin = Buffer.concat([Buffer.from('title\nOne\nGr'), Buffer.from([0xfc]), Buffer.from('n\n')])
test.each<[string, string | Uint8Array, number, string]>([
  ['an open quotation mark', 'title\nOne\n"Two\n', 3, 'is not closed'],
  ['a quotation mark in the middle', 'title\nOne\nT"wo\n', 3, 'in the middle'],
  ['a row of 2 MB', `title\nOne\n${'x'.repeat(2_000_000)}\n`, 3, 'longer than 1 MiB'],
  ['10,000 columns', `title${',x'.repeat(10_000)}\n`, 1, 'more than 200 columns'],
  ['no title', 'name of nothing\nOne\n', 1, 'names no title'],
  ['nothing', '', 1, 'names no title'],
  ['UTF-16', utf16, 1, 'UTF-16'],
  ['Latin-1', latin, 1, 'not UTF-8'],
  ['JSON of something else', '[1, 2]', 1, 'no list of issues'],
  ['JSON that ends in the middle', '[{"number":1,"title":"One"},{"num', 2, 'ends in the middle'],
  ['20,001 rows', `title\n${'x\n'.repeat(20_001)}`, 20_002, 'more than 20000 rows'],
])('a file with %s is refused with its row, and nothing stays', async (_, file, row, words) => {
  const board = await workspace.board()
  const { status, body } = await upload<{ detail: { row: number; problem: string } }>(workspace, board, file)
  expect([status, body.detail.row]).toEqual([400, row])
  expect(body.detail.problem).toContain(words)
  expect(await server.sql('select 1 from boards.imports where board_id = $1', [board.id])).toEqual([])
})

test('a row that is no card is a problem of that row alone', async () => {
  const board = await workspace.board()
  const { body } = await upload(
    workspace,
    board,
    `title,description\n"'=1+1",ok\nTwo,"a\0b"\nThree,${'y'.repeat(70_000)}\n`,
  )
  expect(body).toMatchObject({
    rows_total: 2,
    problems: [{ row: 3, problem: expect.stringContaining('NUL') }],
  })
  await start(body.id)
  expect(await ended(workspace, body.id)).toMatchObject({ cards_made: 2 })
  const { items } = (await workspace.list(board, '?detail=full')).body
  expect(items.map(({ title }) => title)).toEqual(['=1+1', 'Three'])
  expect(String(items[1]?.notes)).toHaveLength(65_536)
})

test('strangers and guests reach no import; agents cannot vouch for texts; a column of others is refused', async () => {
  const board = await workspace.board()
  const stranger = await BoardWorkspace.open(server)
  expect((await upload(stranger, board, 'title\nOne\n')).status).toBe(404)
  const { body } = await upload(workspace, board, 'title,status\nOne,Odd\n')
  for (const [method, path] of [
    ['GET', `/imports/${body.id}`],
    ['POST', `/imports/${body.id}:start`],
    ['POST', `/imports/${body.id}:undo`],
    ['GET', `/boards/${board.id}/imports`],
  ] as const)
    expect((await stranger.call(method, path, method === 'GET' ? undefined : {})).status).toBe(404)
  const foreign = await stranger.board()
  const column = foreign.columns[0]?.id
  expect((await start(body.id, { states: { Odd: column } })).status).toBe(400)
  expect((await start(body.id, { people: { x: 2_000_000_000 } })).status).toBe(400)
  // Two starts at once: one is refused.
  const both = await Promise.all([start(body.id), start(body.id)])
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
  expect(await ended(workspace, body.id)).toMatchObject({ cards_made: 1 })
})
