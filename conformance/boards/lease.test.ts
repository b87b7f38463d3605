import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { beforeAll, expect, test } from 'vitest'
import { BoardWorkspace } from './board-workspace.ts'

const server = useServer('product')
let workspace: BoardWorkspace
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
})

test('a lease runs out by the clock of the database, with no process of ours running meanwhile', async () => {
  const board = await workspace.board()
  const card = await workspace.card(board)
  const first = await workspace.call<{ claim_id: string; epoch: number }>('POST', `/tasks/${card.id}/claim`, {
    worker: 'one',
    lease_seconds: 900,
  })
  // Only the database's clock moves: the API process keeps the real one, and no worker is running.
  const clock = createVirtualClock(server.database.name)
  try {
    await clock.advance(899_000)
    expect(await workspace.read(card)).toMatchObject({ is_ready: false })
    await clock.advance(2000)
    expect(await workspace.read(card)).toMatchObject({ claim: null, is_ready: true })
    const second = await workspace.call<{ epoch: number }>('POST', `/tasks/${card.id}/claim`, {
      worker: 'two',
    })
    expect(second.body.epoch).toBe(3)
    const late = await workspace.call('POST', `/tasks/${card.id}/heartbeat`, first.body)
    expect(late.status).toBe(409)
  } finally {
    clock.close()
  }
})
