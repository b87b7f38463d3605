import { createHash, randomUUID } from 'node:crypto'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { expect, test } from 'vitest'
import { BoardWorkspace } from '../../boards/board-workspace.ts'

const server = useSharedServer('product')

test('S7 what is kept of a request is no digest that others can make of a guess', async () => {
  const workspace = await BoardWorkspace.open(server)
  const body = { name: 'Kept', key: 'KEPT' }
  const header = { 'idempotency-key': randomUUID() }
  expect((await workspace.call('POST', '/boards', body, header)).status).toBe(201)
  const again = await workspace.call('POST', '/boards', body, header)
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
  const rows = await server.sql<{ request: string }>(
    `select encode(request, 'hex') as request from platform.idempotency_keys where brand_id = $1`,
    [workspace.owner.brand_id],
  )
  const rest = JSON.stringify(['/api/v1/board/boards', body])
  const guesses = [rest, JSON.stringify([rest])].map((text) =>
    createHash('sha256').update(text).digest('hex'),
  )
  expect(rows).toHaveLength(1)
  // Six bytes that name the key, and 32 that nobody makes without it.
  expect(rows[0]?.request).toMatch(/^[0-9a-f]{76}$/)
  for (const guess of guesses) expect(rows[0]?.request).not.toContain(guess)
})
