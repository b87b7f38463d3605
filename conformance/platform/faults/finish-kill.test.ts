import { scaled } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { expect, test } from 'vitest'
import { dumpOf } from '../../boards/board-dump.ts'
import { BoardWorkspace } from '../../boards/board-workspace.ts'

const server = useServer('product')
const rounds = scaled(20, 1)

test.each([1, 2, 3])(
  'a kill after step %i of the end of a run leaves nothing of it, and the retry does all of it',
  {
    timeout: 60_000 + rounds * 30_000,
  },
  async (step) => {
    const workspace = await BoardWorkspace.open(server)
    const board = await workspace.board()
    for (let n = 0; n < rounds; n += 1) {
      const card = await workspace.card(board)
      const claim = await workspace.call<{ epoch: number }>('POST', `/tasks/${card.id}/claim`, {
        worker: 'one',
      })
      const { epoch } = claim.body
      const run = await workspace.call<{ id: string }>('POST', `/tasks/${card.id}/runs`, { epoch })
      const headers = { ...bearer(workspace.token), 'content-type': 'application/json' }
      const body = JSON.stringify({ status: 'succeeded', change: { status: 'done' }, comment: 'Done' })
      const finish = (url: string) =>
        fetch(`${url}/api/v1/board/runs/${run.body.id}:finish`, { method: 'POST', headers, body })
      const before = await dumpOf(workspace)
      const victim = await server.start('api', { TEST_FAULT_POINTS: `boards.finish:kill@${step}` })
      await expect(finish(victim.url)).rejects.toThrow()
      await victim.ended
      expect(await dumpOf(workspace)).toEqual(before)
      expect((await finish(server.api.url)).status).toBe(200)
      expect(await workspace.read(card)).toMatchObject({
        status: 'done',
        claim: null,
        comments_count: 1,
        last_run_status: 'succeeded',
      })
    }
  },
)

test.each([1, 2])(
  'a kill after step %i of taking up work leaves the card free, and the next caller gets it',
  {
    timeout: 60_000 + rounds * 30_000,
  },
  async (step) => {
    const workspace = await BoardWorkspace.open(server)
    const board = await workspace.board()
    for (let n = 0; n < rounds; n += 1) {
      const card = await workspace.card(board)
      const before = await dumpOf(workspace)
      const victim = await server.start('api', { TEST_FAULT_POINTS: `boards.next:kill@${step}` })
      const headers = bearer(workspace.token)
      await expect(
        fetch(`${victim.url}/api/v1/board/work:next`, { method: 'POST', headers }),
      ).rejects.toThrow()
      await victim.ended
      expect(await dumpOf(workspace)).toEqual(before)
      const { body } = await workspace.call<{ claim: { task_id: string } | null }>('POST', '/work:next')
      expect(body.claim?.task_id).toBe(card.id)
    }
  },
)
