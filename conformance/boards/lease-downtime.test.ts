import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { expect, test } from 'vitest'
import { BoardWorkspace } from './board-workspace.ts'

const server = useServer('product')
const { sql } = server

test('a card is free after a lease during which no process of ours ran at all', async () => {
  const workspace = await BoardWorkspace.open(server)
  const board = await workspace.board()
  const card = await workspace.card(board)
  const worker = await server.start('worker')
  const first = await workspace.call<{ claim_id: string; epoch: number }>('POST', `/tasks/${card.id}/claim`, {
    worker: 'one',
    lease_seconds: 900,
  })
  expect(first.status).toBe(200)
  await Promise.all([server.api.stop(), worker.stop()])
  const clock = createVirtualClock(server.database.name)
  try {
    const row = () => sql('select * from boards.cards where id = $1', [card.id])
    const before = await row()
    await clock.advance(901_000)
    expect(await row()).toEqual(before)
    const api = await server.start('api', clock.env)
    const call = async (method: string, path: string, body?: object) => {
      const response = await fetch(`${api.url}/api/v1/board${path}`, {
        method,
        ...(body ? { body: JSON.stringify(body) } : {}),
        headers: { authorization: `Bearer ${workspace.token}`, 'content-type': 'application/json' },
      })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }
    const ready = await call('GET', `/boards/${board.id}/tasks/ready`)
    expect(ready.body).toMatchObject({ items: [{ id: card.id }] })
    expect((await call('GET', `/tasks/${card.id}`)).body).toMatchObject({ claim: null, is_ready: true })
    const second = await call('POST', `/tasks/${card.id}/claim`, { worker: 'two' })
    expect(second).toMatchObject({ status: 200, body: { epoch: 3, holder: { name: 'two' } } })
    const held = (await call('GET', `/tasks/${card.id}`)).body
    // The first one wakes up and goes on as if nothing had been.
    const late = [
      await call('POST', `/tasks/${card.id}/heartbeat`, first.body),
      await call('PATCH', `/tasks/${card.id}`, { title: 'Late', claim_epoch: first.body.epoch }),
    ]
    expect(late.map(({ status }) => status)).toEqual([409, 409])
    expect((await call('GET', `/tasks/${card.id}`)).body).toEqual(held)
  } finally {
    clock.close()
  }
})
