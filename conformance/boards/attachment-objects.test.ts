import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createStorage, type Storage } from '@crewhall/server/platform/storage/storage.ts'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { untilFrozen } from '@crewhall/testkit/frozen.ts'
import { outside } from '@crewhall/testkit/outside.ts'
import { formOf } from '@crewhall/testkit/people.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock, type VirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card } from './board-workspace.ts'

const server = useServer('product')
const hourMs = 3_600_000
let clock: VirtualClock
let storage: Storage
let workspace: BoardWorkspace
let board: Board

beforeAll(async () => {
  clock = createVirtualClock(server.database.name)
  const { s3 } = readServiceFacts()
  storage = createStorage({ ...s3, prefix: `${server.database.name}/`, timeout_ms: 10_000 })
  workspace = await BoardWorkspace.open(server)
  board = await workspace.board()
  await server.start('worker', clock.env)
})
afterAll(async () => {
  for (const { key } of (await storage?.list(outside, '')) ?? []) await storage.remove(outside, key)
  storage?.close()
  clock?.close()
})

const send = async (to: Card, { url = server.api.url, headers = {}, text = 'A file' } = {}) => {
  const response = await fetch(`${url}/api/v1/board/tasks/${to.id}/attachments`, {
    method: 'POST',
    headers: { ...bearer(workspace.token), ...headers },
    body: formOf('file', Buffer.from(text), 'a.txt'),
  })
  return { status: response.status, body: (await response.json()) as { id: string } }
}
/** Keys of the objects, as the storage has them, and those that rows name. */
const stored = async () =>
  (await storage.list(outside, `attachments/${workspace.owner.brand_id}/`)).map(({ key }) => key).sort()
const named = async () =>
  (await server.sql<{ key: string }>('select object_key as key from boards.attachments order by 1')).map(
    ({ key }) => key,
  )
const agree = () => waitFor(async () => String(await stored()) === String(await named()), 30_000)

async function nextSweep(): Promise<void> {
  await clock.advance(2 * hourMs)
  await waitFor(async () => {
    const [row] = await server.sql<{ open: number; due: boolean }>(
      `select (select count(*)::int from pgboss.job where name = 'boards.sweep-attachments'
                and state in ('created', 'retry', 'active')) as open,
              (select next_at <= platform.now() from jobs.schedules where name = 'boards.sweep-attachments') as due`,
    )
    return row?.open === 0 && !row.due
  }, 20_000)
}

test('whatever dies between the storage and the commit, no object is left without a row and no row without an object', async () => {
  const card = await workspace.card(board)
  const { body: kept } = await send(card)
  for (const point of ['attachments.put:kill@1', 'keys.work:kill@1']) {
    const doomed = await server.start('api', { TEST_FAULT_POINTS: point })
    const headers = { 'idempotency-key': randomUUID() }
    await expect(send(card, { url: doomed.url, headers, text: point })).rejects.toThrow()
    await doomed.ended
    expect(await stored()).toHaveLength((await named()).length + 1)
    // Whoever sends it again after the lease of the key attaches it once.
    await clock.advance(60_000)
    expect((await send(card, { headers, text: point })).status).toBe(201)
    await nextSweep()
    await agree()
  }
  expect(await named()).toHaveLength(3)
  expect((await workspace.call('DELETE', `/attachments/${kept.id}`)).status).toBe(200)
  await agree()
  expect(await stored()).toHaveLength(2)
  // Rows that go with their card leave objects, until the sweep.
  await server.sql('delete from boards.cards where id = $1', [card.id])
  await nextSweep()
  await agree()
  expect(await stored()).toEqual([])
  expect(await server.sql('select files::int, bytes::int from boards.attachment_sums')).toEqual([
    { files: 0, bytes: 0 },
  ])
})

test('an upload that was frozen until its object was swept is refused, and no row names what is gone', async () => {
  const card = await workspace.card(board)
  const api = await server.start('api', { ...clock.env, TEST_FAULT_POINTS: 'attachments.put:stop@1' })
  const upload = send(card, { url: api.url })
  await untilFrozen(api)
  expect(await stored()).toHaveLength(1)
  await nextSweep()
  await waitFor(async () => (await stored()).length === 0, 30_000)
  process.kill(api.pid, 'SIGCONT')
  expect((await upload).status).toBe(503)
  expect(await named()).toEqual([])
})

const head =
  '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: text/plain\r\n\r\n'

/** Sends the head of an upload and a part of its bytes. */
function begin(url: string, card: Card): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  const lines = [
    `POST /api/v1/board/tasks/${card.id}/attachments HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${workspace.token}`,
    'Content-Type: multipart/form-data; boundary=b',
    'Content-Length: 20000000',
  ]
  socket.on('error', () => {})
  socket.write(`${lines.join('\r\n')}\r\n\r\n${head}${'x'.repeat(600_000)}`)
  return socket
}

test('callers who stop in the middle take so many places and no more, leave nothing, and free them', async () => {
  const api = await server.start('api')
  const card = await workspace.card(board)
  const before = (await stored()).length
  const slow: Socket[] = []
  // A workspace has ten of sixteen; others still get in.
  await waitFor(async () => {
    slow.push(begin(api.url, card))
    return (await send(card, { url: api.url })).status === 503
  }, 20_000)
  expect(slow.length).toBeGreaterThanOrEqual(10)
  const other = await BoardWorkspace.open(server)
  const theirs = await other.card(await other.board())
  expect((await send(theirs, { url: api.url, headers: bearer(other.token) })).status).toBe(201)
  const sent = (await named()).length
  for (const socket of slow) {
    socket.destroy()
    if (!socket.closed) await once(socket, 'close')
  }
  await waitFor(async () => (await send(card, { url: api.url })).status === 201, 20_000)
  // A process that stops has finished or given up whatever it had begun.
  expect(await api.stop()).toBe(0)
  expect((await named()).length).toBe(sent + 1)
  expect((await stored()).length).toBe(
    before +
      (await named()).filter((key) => key.startsWith(`attachments/${workspace.owner.brand_id}/`)).length,
  )
})
