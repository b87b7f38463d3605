import { randomUUID } from 'node:crypto'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card, type Receipt } from '../../boards/board-workspace.ts'

const server = useServer('product')
let workspace: BoardWorkspace
let board: Board
let card: Card

beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  board = await workspace.board()
  card = await workspace.card(board)
})

/** Everything that a write on the board could leave behind. */
async function everything(): Promise<string> {
  const tables = ['boards', 'columns', 'cards', 'card_texts', 'activity', 'comments', 'relations', 'runs']
  const parts = await Promise.all(
    tables.map((table) => server.sql(`select t::text as row from boards.${table} t order by 1`)),
  )
  const rows = parts.flat()
  if (rows.length < 5) throw new Error('the tables look empty')
  return JSON.stringify(rows)
}

test.each([
  ['a change of a card', 'PATCH', (): string => `/tasks/${card.id}`, { title: 'Other', column: 'Done' }, 200],
  ['a move', 'POST', (): string => `/tasks/${card.id}/move`, { column: 'Review' }, 200],
  ['a comment', 'POST', (): string => `/tasks/${card.id}/comments`, { body: 'Words' }, 201],
  ['a claim', 'POST', (): string => `/tasks/${card.id}/claim`, {}, 200],
  ['an archived card', 'POST', (): string => `/tasks/${card.id}/archive`, undefined, 200],
  ['a new card', 'POST', (): string => `/boards/${board.id}/tasks`, { title: 'New' }, 201],
  ['a new column', 'POST', (): string => `/boards/${board.id}/columns`, { name: 'New', status: 'done' }, 201],
  ['claim-next', 'POST', (): string => `/boards/${board.id}/tasks/claim-next`, {}, 200],
  ['a new board', 'POST', (): string => '/boards', { name: 'New', key: 'NEW' }, 201],
] as const)('%s is answered as ever and leaves nothing behind', async (_, method, path, body, status) => {
  const before = await everything()
  const tried = await workspace.call(method, `${path()}?dry_run=true`, body)
  expect(tried.status).toBe(status)
  expect(tried.headers.get('dry-run')).toBe('true')
  expect(await everything()).toBe(before)
})

test('a dry run of a change shows the receipt that the change then has', async () => {
  const mine = await workspace.card(board)
  const change = { title: 'Renamed', priority: 'high', column: 'In progress' }
  const tried = await workspace.patch<Receipt>(mine, change, '?return=receipt&dry_run=true')
  const done = await workspace.patch<Receipt>(mine, change, '?return=receipt&dry_run=false')
  expect(tried.body).toEqual(done.body)
  expect(Object.keys(done.body.changed).sort()).toEqual(['column', 'priority', 'status', 'title'])
  expect(done.headers.get('dry-run')).toBeNull()
})

test('a dry run refuses what the write refuses', async () => {
  const { status, body } = await workspace.patch(card, { column: 'Nowhere' }, '?dry_run=true')
  expect([status, body]).toEqual([400, { detail: 'column: the board has no such column' }])
})

test('a dry run with a key keeps no answer: the key then does the work', async () => {
  const key = { 'idempotency-key': randomUUID() }
  const path = `/boards/${board.id}/tasks`
  await workspace.call('POST', `${path}?dry_run=true`, { title: 'Keyed' }, key)
  const done = await workspace.call('POST', path, { title: 'Keyed' }, key)
  expect([done.status, done.headers.get('idempotent-replayed')]).toEqual([201, null])
})

test('a word that is neither true nor false is refused', async () => {
  const { status, body } = await workspace.patch(card, { title: 'X' }, '?dry_run=yes')
  expect([status, body]).toEqual([400, { detail: 'dry_run: must be true or false' }])
})
