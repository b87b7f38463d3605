import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { BoardWorkspace } from './board-workspace.ts'

const server = useSharedServer('product')
let workspace: BoardWorkspace
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
})

/** Of the right form, and no moment that a calendar or the database knows. */
const impossible = ['2026-02-30T00:00:00Z', '0000-01-01T00:00:00Z', '2026-01-01T24:30:00Z']

test.each(impossible)('a card that is due on %s is refused', async (due_at) => {
  const board = await workspace.board()
  const { status } = await workspace.call('POST', `/boards/${board.id}/tasks`, { title: 'x', due_at })
  expect(status).toBe(400)
})

test.each([...impossible, '2026-01-01T00:00:00+25:00', '2026-01-01T00:00:00+20:00'])(
  'BRD-G13: cards since %s cannot be asked for',
  async (since) => {
    const { status } = await workspace.call('GET', `/master/tasks?since=${encodeURIComponent(since)}`)
    expect(status).toBe(400)
  },
)

test('a member with a number beyond all numbers is no member', async () => {
  const card = await workspace.card(await workspace.board())
  for (const id of [2_147_483_648, 2_147_483_647, 0, -1, '999999999']) {
    expect([id, (await workspace.patch(card, { assignee: { kind: 'member', id } })).status]).toEqual([
      id,
      400,
    ])
  }
})
