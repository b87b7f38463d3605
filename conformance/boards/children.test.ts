import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { expect, test } from 'vitest'
import { BoardWorkspace, type Card } from './board-workspace.ts'

const server = useSharedServer('product')

test('sub-tasks of any board are listed with their progress, and strangers find no card', async () => {
  const workspace = await BoardWorkspace.open(server)
  const [board, beside] = [await workspace.board(), await workspace.board()]
  const parent = await workspace.card(board)
  const read = (by = workspace) =>
    by.call<{ items: Card[]; progress: object }>('GET', `/tasks/${parent.ref}/children`)
  const none = { total: 0, done: 0, estimate: 0, estimate_done: 0, unestimated: 0 }
  expect((await read()).body).toEqual({ items: [], progress: none })
  const children = [
    await workspace.card(board, { title: 'one', estimate: 3, status: 'done' }),
    await workspace.card(beside, { title: 'two', estimate: 2 }),
    await workspace.card(board, { title: 'three' }),
    await workspace.card(board, { title: 'four', estimate: 9 }),
  ]
  for (const { id } of children) await workspace.call('PUT', `/tasks/${parent.id}/relations/parent/${id}`)
  await workspace.call('POST', `/tasks/${children[3]?.id}/archive`)
  const { body } = await read()
  expect(body.items.map(({ title, board_id, estimate }) => [title, board_id, estimate])).toEqual([
    ['one', board.id, 3],
    ['two', beside.id, 2],
    ['three', board.id, null],
  ])
  expect(body.progress).toEqual({ total: 3, done: 1, estimate: 5, estimate_done: 3, unestimated: 1 })
  await workspace.patch(children[1] as Card, { status: 'done' })
  expect((await read()).body.progress).toMatchObject({ done: 2, estimate_done: 5 })
  const other = await BoardWorkspace.open(server)
  expect(await other.call('GET', `/tasks/${parent.id}/children`)).toEqual({
    status: 404,
    body: { detail: 'Card not found' },
  })
})
