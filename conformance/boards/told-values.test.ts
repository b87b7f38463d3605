import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card } from './board-workspace.ts'
import { Listener } from './stream-calls.ts'

const server = useSharedServer('product')
let workspace: BoardWorkspace
let board: Board
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  board = await workspace.board()
})

interface Entry {
  action: string
  task_id: string
  ref?: string
  title?: string
  changes?: Record<string, object>
}
const told = async (card: Card): Promise<Entry[]> => {
  const { body } = await workspace.call<{ items: Entry[] }>('GET', `/activity/boards/${board.id}?limit=50`)
  return body.items.filter(({ task_id }) => task_id === card.id).toReversed()
}

test('feed and stream tell ref, title and changed fields with both values, so that a follower needs no read', async () => {
  const query = `board_ids=${board.id}`
  const headers = bearer(workspace.token)
  const listener = await (await Listener.open(server.api.url, query, { headers })).ready()
  const assignee = { kind: 'agent', id: 'builder', name: 'Builder' }
  const card = await workspace.card(board, { title: 'Old', labels: ['api'], assignee })
  await workspace.patch(card, { title: 'New', priority: 'high', assignee: null, status: 'review' })
  await workspace.call('POST', `/tasks/${card.id}/comments`, { body: 'Said' })
  await workspace.call('POST', `/tasks/${card.id}/archive`)
  const { ref } = card
  const entries = await told(card)
  const after = { ref, title: 'New' }
  expect(entries).toMatchObject([
    {
      ref,
      title: 'Old',
      changes: { labels: { from: null, to: ['api'] }, assignee: { from: null, to: assignee } },
    },
    { ...after, action: 'task.moved', changes: { status: { from: 'pending', to: 'review' } } },
    { ...after, action: 'task.updated' },
    { ...after, action: 'task.commented' },
    { ...after, action: 'task.archived' },
  ])
  expect(entries[2]?.changes).toEqual({
    title: { from: 'Old', to: 'New' },
    priority: { from: 'none', to: 'high' },
    assignee: { from: assignee, to: null },
  })
  await listener.count(entries.length)
  expect(listener.entries.map(({ data }) => data)).toEqual(
    entries.map((entry) => ({ ...entry, board_id: board.id })),
  )
  listener.close()
})

test('long values are told by their sizes, and all values of an entry stay below 8 KiB', async () => {
  const card = await workspace.card(board, { instructions: 'é'.repeat(600) })
  const long = 'é'.repeat(30_000)
  const texts = Object.fromEntries(
    ['instructions', 'plan', 'notes', 'result', 'review', 'log'].map((field) => [field, long]),
  )
  const labels = Array.from({ length: 20 }, (_, n) => `${n}${'😀'.repeat(20)}`)
  const { status } = await workspace.patch(card, {
    ...texts,
    labels,
    title: '😀'.repeat(250),
    description: 'x'.repeat(4000),
    blocked_reason: '"'.repeat(500),
    repository: 'r'.repeat(500),
    branch: 'b'.repeat(255),
    base_branch: 'm'.repeat(255),
    pr_url: `https://git.example/${'p'.repeat(900)}`,
    agent_context: { words: 'w'.repeat(10_000) },
  })
  expect(status).toBe(200)
  const [created, updated] = await told(card)
  expect(created?.changes).toEqual({ instructions: { from_bytes: 0, to_bytes: 1200 } })
  expect(updated?.changes?.instructions).toEqual({ from_bytes: 1200, to_bytes: 60_000 })
  expect(Object.keys(updated?.changes ?? {})).toHaveLength(15)
  expect(Buffer.byteLength(JSON.stringify(updated))).toBeLessThan(8192)
})
