import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card } from './board-workspace.ts'

const server = useSharedServer('product')
let workspace: BoardWorkspace
let other: BoardWorkspace
let board: Board
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  other = await BoardWorkspace.open(server)
  board = await workspace.board()
})

interface Comment {
  id: string
  parent_id: string | null
  body: string
  author: { kind: string; id: string }
}
const comment = (card: Card, body: string, more: object = {}) =>
  workspace.call<Comment>('POST', `/tasks/${card.id}/comments`, { body, ...more })
const list = (card: Card, query = '') =>
  workspace.call<{ items: Comment[]; total: number }>('GET', `/tasks/${card.id}/comments${query}`)

test('comments come oldest first with their author, and the card counts them', async () => {
  const card = await workspace.card(board)
  const first = await comment(card, 'First')
  expect(first.status).toBe(201)
  await comment(card, 'Second', { parent_id: first.body.id })
  const { body } = await list(card)
  expect(body.total).toBe(2)
  expect(body.items.map((each) => [each.body, each.parent_id])).toEqual([
    ['First', null],
    ['Second', first.body.id],
  ])
  expect(body.items[0]?.author).toMatchObject({ kind: 'member', id: String(workspace.owner.person_id) })
  expect(await workspace.read(card)).toMatchObject({
    comments_count: 2,
    last_commented_at: expect.any(String),
  })
  expect((await list(card, '?per_page=1&page=2')).body.items).toHaveLength(1)
})

test('a comment is rewritten and removed by its author, with its answers', async () => {
  const card = await workspace.card(board)
  const { body: first } = await comment(card, 'First')
  await comment(card, 'Answer', { parent_id: first.id })
  const changed = await workspace.call<Comment>('PATCH', `/comments/${first.id}`, { body: 'Again' })
  expect(changed.body).toMatchObject({ body: 'Again', edited_at: expect.any(String) })
  const removed = await workspace.call('DELETE', `/comments/${first.id}`)
  expect(removed.body).toEqual({ removed: 2 })
  expect((await list(card)).body).toMatchObject({ items: [], total: 0 })
  expect((await workspace.call('DELETE', `/comments/${first.id}`)).status).toBe(404)
})

test('a comment on another card is no parent', async () => {
  const [one, two] = [await workspace.card(board), await workspace.card(board)]
  const { body } = await comment(one, 'First')
  expect((await comment(two, 'Answer', { parent_id: body.id })).status).toBe(400)
})

test('cards and comments of another workspace are not found', async () => {
  const foreign = await other.card(await other.board())
  const made = await other.call<Comment>('POST', `/tasks/${foreign.id}/comments`, { body: 'Secret' })
  expect((await comment(foreign, 'x')).status).toBe(404)
  expect((await list(foreign)).status).toBe(404)
  expect((await workspace.call('PATCH', `/comments/${made.body.id}`, { body: 'x' })).status).toBe(404)
  expect((await workspace.call('DELETE', `/comments/${made.body.id}`)).status).toBe(404)
})

test.each([{ body: '' }, { body: 'x'.repeat(65_537) }, {}, { body: 7 }])(
  'the body %# is 400',
  async (body) => {
    const card = await workspace.card(board)
    expect((await workspace.call('POST', `/tasks/${card.id}/comments`, body)).status).toBe(400)
  },
)
