import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card } from './board-workspace.ts'

const server = useSharedServer('product')
let workspace: BoardWorkspace
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
})

const ask = (board: Board, query: string) => workspace.call('GET', `/boards/${board.id}/export${query}`)

/** Cells of a file as RFC 4180 describes it. */
function cellsOf(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    row.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end === ',') continue
    rows.push(row)
    row = []
  }
  return rows
}

test('a board as CSV: a header, a row for each card in the order of the board, and no formula', async () => {
  const board = await workspace.board()
  const parent = await workspace.card(board, {
    title: '=HYPERLINK("http://evil.example","x")',
    description: 'First, "quoted"\r\nand a second line\n',
    labels: ['@home', 'b'],
    estimate: 2.5,
    assignee: { kind: 'agent', id: '-agent' },
  })
  const done = await workspace.card(board, { title: 'Finished', column: 'Done' })
  const child = await workspace.card(board, { title: '-1', client_ref: 'mine' })
  await workspace.call('PUT', `/tasks/${parent.id}/relations/parent/${child.id}`)
  const gone = await workspace.card(board, { title: 'Archived' })
  await workspace.call('POST', `/tasks/${gone.id}/archive`)

  const { status, headers, text } = await ask(board, '?format=csv')
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(headers.get('content-disposition')).toContain(`attachment; filename="${board.key}.csv"`)
  const [names = [], ...rows] = cellsOf(text)
  const cards = rows.map((row) => Object.fromEntries(row.map((cell, at) => [names[at], cell])))
  expect(cards.map(({ ref }) => ref)).toEqual([parent.ref, child.ref, done.ref])
  expect(cards[0]).toMatchObject({
    title: '\'=HYPERLINK("http://evil.example","x")',
    description: 'First, "quoted"\r\nand a second line\n',
    labels: "'@home, b",
    estimate: '2.5',
    assignee: "'-agent",
    column: 'To do',
    status: 'pending',
  })
  expect(cards[1]).toMatchObject({ title: "'-1", client_ref: 'mine', parent: parent.ref })
  expect((await ask(board, '?format=csv')).text).toBe(text)
  const some = cellsOf((await ask(board, '?format=csv&columns=done')).text)
  expect(some.slice(1).map(([ref]) => ref)).toEqual([done.ref])
})

test('a board as JSON lines: whole cards with comments, checklist and relations', async () => {
  const board = await workspace.board()
  const card = await workspace.card(board, {
    title: 'First\u2028line',
    labels: ['x'],
    notes: 'n'.repeat(60_000),
    checklist: ['one', 'two'],
  })
  const other = await workspace.card(board, { title: 'Second' })
  await workspace.call('PUT', `/tasks/${card.id}/relations/blocks/${other.id}`)
  const said = Array.from({ length: 112 }, (_, at) => `comment ${at}`)
  for (const body of said) await workspace.call('POST', `/tasks/${card.id}/comments`, { body })

  const { status, headers, text } = await ask(board, '?format=jsonl')
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('application/x-ndjson')
  const lines = text.split('\n')
  expect(lines.pop()).toBe('')
  const [first, second] = lines.map((line) => JSON.parse(line))
  const { comments, checklist, relations, ...fields } = first
  expect(fields).toEqual((await workspace.call<Card>('GET', `/tasks/${card.id}`)).body)
  expect(comments.map(({ body }: { body: string }) => body)).toEqual(said)
  expect(checklist.map(({ text, done }: { text: string; done: boolean }) => [text, done])).toEqual([
    ['one', false],
    ['two', false],
  ])
  expect(relations).toMatchObject([{ kind: 'blocks', task: { id: other.id, ref: other.ref } }])
  expect(second).toMatchObject({ id: other.id, relations: [{ kind: 'blocked_by' }], comments: [] })
})

test('an unknown format is 400, and a board of others 404 in every format', async () => {
  const board = await workspace.board()
  expect((await ask(board, '?format=xlsx')).status).toBe(400)
  const stranger = await BoardWorkspace.open(server)
  for (const format of ['csv', 'jsonl'])
    expect(await stranger.call('GET', `/boards/${board.id}/export?format=${format}`)).toMatchObject({
      status: 404,
      body: { detail: 'Board not found' },
    })
})
