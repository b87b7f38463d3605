import { scaled } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { beforeAll, expect, test } from 'vitest'
import { dumpOf } from '../../boards/board-dump.ts'
import { type Board, BoardWorkspace, type Card } from '../../boards/board-workspace.ts'

const server = useServer('product')
const rounds = scaled(20, 1)
let workspace: BoardWorkspace
let board: Board
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  board = await workspace.board()
})

/** Four steps: the creations in the middle are one. */
const operationsOn = (card: Card) => [
  { op: 'create', task: { title: 'Parent' }, children: [{ title: 'Child' }] },
  { op: 'change', task_id: card.id, change: { status: 'done' } },
  { op: 'create', task: { title: 'One' } },
  { op: 'create', task: { title: 'Two' } },
  { op: 'archive', task_id: card.id },
]

test.each([false, true].flatMap((atomic) => [1, 2, 3, 4].map((step) => ({ atomic, step }))))(
  'a kill after step $step of a batch, atomic: $atomic, leaves nothing of it, and the retry does all of it once',
  {
    timeout: 60_000 + rounds * 30_000,
  },
  async ({ atomic, step }) => {
    for (let n = 0; n < rounds; n += 1) {
      const card = await workspace.card(board)
      const body = JSON.stringify({ atomic, operations: operationsOn(card) })
      const headers = {
        ...bearer(workspace.token),
        'content-type': 'application/json',
        'idempotency-key': `kill-${card.id}`,
      }
      const write = (url: string) =>
        fetch(`${url}/api/v1/board/boards/${board.id}/tasks:batch`, { method: 'POST', headers, body })
      const before = await dumpOf(workspace)
      const victim = await server.start('api', { TEST_FAULT_POINTS: `boards.batch:kill@${step}` })
      await expect(write(victim.url)).rejects.toThrow()
      await victim.ended
      expect(await dumpOf(workspace)).toEqual(before)
      const { total } = (await workspace.list(board)).body
      const answer = await write(server.api.url)
      expect(answer.status).toBe(atomic ? 200 : 207)
      // Four are new, and one is archived.
      expect((await workspace.list(board)).body.total).toBe(total + 3)
      expect(await (await write(server.api.url)).text()).toBe(await answer.text())
      expect((await workspace.list(board)).body.total).toBe(total + 3)
    }
  },
)
