import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { EventStream, textOf } from '#platform/http/event-stream.ts'

/** A stream over a real line; `caller` is its far end, which reads only when told to. */
async function opened(limits: { keepalive_ms?: number; stall_ms?: number } = {}) {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const caller: Socket = connect(port, '127.0.0.1')
  caller.on('error', () => {})
  caller.pause()
  caller.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  const [, raw] = (await once(server, 'request')) as [unknown, ServerResponse]
  const stream = new EventStream(raw, {
    last_event_id: undefined,
    keepalive_ms: 60_000,
    stall_ms: 60_000,
    admit: () => Promise.reject(new Error('nobody asks')),
    ...limits,
  })
  onTestFinished(() => {
    caller.destroy()
    server.close()
  })
  return { stream, raw, caller }
}

const passed = async (work: Promise<unknown>): Promise<number> => {
  const began = performance.now()
  await work
  return performance.now() - began
}

test.each([
  [{ comment: 'keepalive' }, ': keepalive\n\n'],
  [{ id: 'a.b' }, 'id: a.b\n\n'],
  [
    { event: 'ready', id: 'a', retry_ms: 2000, data: { x: 1 } },
    'retry: 2000\nid: a\nevent: ready\ndata: {"x":1}\n\n',
  ],
  [{ event: 'e', data: 'two\nlines\r and \u2028' }, 'event: e\ndata: "two\\nlines\\r and \u2028"\n\n'],
])('%j is told in fields of one line each', (event, text) => {
  expect(textOf(event)).toBe(text)
})

test('it waits until it is woken', async () => {
  const { stream } = await opened()
  const waiting = stream.idle()
  stream.wake()
  expect(await passed(waiting)).toBeLessThan(20_000)
})

test('a wake-up that came before it waits is not lost, and counts once', async () => {
  const { stream } = await opened({ keepalive_ms: 3000 })
  stream.wake()
  stream.wake()
  expect(await passed(stream.idle())).toBeLessThan(1500)
  expect(await passed(stream.idle())).toBeGreaterThan(1500)
})

test('it waits no longer than until a sign of life is due', async () => {
  const { stream } = await opened({ keepalive_ms: 100 })
  await stream.idle()
  expect(stream.is_silent).toBe(true)
  await stream.send({ comment: 'keepalive' })
  expect(stream.is_silent).toBe(false)
})

test('a rest is not cut short by what happens, only by the end', async () => {
  const { stream, caller } = await opened()
  const resting = stream.rest(150)
  stream.wake()
  expect(await passed(resting)).toBeGreaterThan(100)
  const long = stream.rest(60_000)
  caller.destroy()
  expect(await passed(long)).toBeLessThan(30_000)
  expect(stream.is_over).toBe(true)
})

const large = { data: 'x'.repeat(100_000) }

test('it stops while the caller does not read, and goes on when it does', async () => {
  const { stream, raw, caller } = await opened()
  let sent = 0
  const sending = (async () => {
    for (; sent < 200; sent += 1) await stream.send(large)
  })()
  await expect.poll(() => raw.writableNeedDrain && sent, { timeout: 20_000 }).toBeGreaterThan(0)
  expect(sent).toBeLessThan(199)
  expect(raw.writableLength).toBeLessThan(1_000_000)
  caller.resume()
  await sending
  expect([sent, stream.is_over]).toEqual([200, false])
})

test('a caller that takes nothing for too long loses its line', async () => {
  const { stream } = await opened({ stall_ms: 100 })
  for (let n = 0; n < 1000 && !stream.is_over; n += 1) await stream.send(large)
  expect(stream.is_over).toBe(true)
})
