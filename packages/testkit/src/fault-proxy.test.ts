import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'
import { waitFor } from './wait-for.ts'

let proxy: FaultProxy
let port: number
let arrived: Socket[] = []
const server = createServer({ allowHalfOpen: true }, (socket) => {
  arrived.push(socket)
  // Answers what it hears, and takes its leave when the caller does.
  socket.on('data', (bytes) => socket.write(bytes))
  socket.on('end', () => socket.end('bye'))
  socket.on('error', () => {})
})

beforeEach(async () => {
  arrived = []
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
  proxy = await startFaultProxy({ host: '127.0.0.1', port })
})
afterEach(async () => {
  await proxy.close()
  for (const socket of arrived) socket.destroy()
  server.close()
  await once(server, 'close')
})

interface Caller {
  readonly socket: Socket
  heard(): string
  readonly failure: Promise<string>
}

async function call(): Promise<Caller> {
  const socket = connect({ host: '127.0.0.1', port: proxy.port, allowHalfOpen: true })
  let heard = ''
  socket.on('data', (bytes) => {
    heard += bytes.toString()
  })
  const failure = new Promise<string>((resolve) => {
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'no code'))
    socket.on('close', () => resolve('closed'))
  })
  await once(socket, 'connect')
  return { socket, heard: () => heard, failure }
}

const hears = (caller: Caller, text: string) => waitFor(() => caller.heard() === text, 20_000)

/** Two more turns of a line that works: whatever was to come through the broken one has had its time. */
async function roundTrips(): Promise<void> {
  const direct = connect({ host: '127.0.0.1', port })
  for (const turn of ['a', 'b']) {
    direct.write(turn)
    await once(direct, 'data')
  }
  direct.destroy()
}

test('without a fault everything comes through, up to the last bytes before the end', async () => {
  const caller = await call()
  caller.socket.end('x'.repeat(1_000_000))
  await once(caller.socket, 'end')
  expect(caller.heard()).toBe(`${'x'.repeat(1_000_000)}bye`)
})

test('latency delays each direction, and bytes keep their order when it is lifted', async () => {
  const caller = await call()
  caller.socket.write('0')
  await hears(caller, '0')
  proxy.set({ kind: 'latency', ms: 150 })
  const sent = performance.now()
  caller.socket.write('1')
  await hears(caller, '01')
  expect(performance.now() - sent).toBeGreaterThanOrEqual(295)
  caller.socket.write('2')
  await roundTrips()
  proxy.set({ kind: 'none' })
  caller.socket.write('3')
  await hears(caller, '0123')
})

test('reset reaches open and new connections as a reset', async () => {
  const open = await call()
  open.socket.write('a')
  await hears(open, 'a')
  proxy.set({ kind: 'reset' })
  expect(await open.failure).toBe('ECONNRESET')
  const fresh = connect({ host: '127.0.0.1', port: proxy.port })
  const [error] = (await once(fresh, 'error')) as [NodeJS.ErrnoException]
  expect(error.code).toBe('ECONNRESET')
})

test('drop closes open connections without a reset', async () => {
  const open = await call()
  open.socket.write('a')
  await hears(open, 'a')
  proxy.set({ kind: 'drop' })
  await once(open.socket, 'end')
  expect(open.heard()).toBe('a')
})

test('half_open keeps the connection, carries nothing, and tells neither end that the other left', async () => {
  const caller = await call()
  caller.socket.write('a')
  await hears(caller, 'a')
  proxy.set({ kind: 'half_open' })
  caller.socket.write('b')
  arrived[0]?.destroy()
  await roundTrips()
  expect(caller.heard()).toBe('a')
  expect(caller.socket.readyState).toBe('open')
  expect(proxy.connections()).toBe(1)
})

test('a line that was half-open stays dead, while new lines work', async () => {
  const old = await call()
  proxy.set({ kind: 'half_open' })
  old.socket.write('lost')
  proxy.set({ kind: 'none' })
  old.socket.write('late')
  const fresh = await call()
  fresh.socket.write('new')
  await hears(fresh, 'new')
  expect(old.heard()).toBe('')
})

test('cut_after lets exactly so many bytes through and then resets', async () => {
  const caller = await call()
  caller.socket.write('before')
  await hears(caller, 'before')
  proxy.set({ kind: 'cut_after', bytes: 10 })
  caller.socket.write('0123456789')
  await hears(caller, 'before0123456789')
  caller.socket.write('lost')
  await caller.failure
  expect(caller.heard()).toBe('before0123456789')
})

test('stall_after lets exactly so many bytes through and then says nothing more', async () => {
  const caller = await call()
  caller.socket.write('before')
  await hears(caller, 'before')
  proxy.set({ kind: 'stall_after', bytes: 4 })
  caller.socket.write('0123456789')
  await hears(caller, 'before0123')
  caller.socket.write('lost')
  await roundTrips()
  expect(caller.heard()).toBe('before0123')
  expect(caller.socket.readyState).toBe('open')
})

test('connections are reset one by one', async () => {
  const callers = [await call(), await call()]
  for (const caller of callers) caller.socket.write('a')
  for (const caller of callers) await hears(caller, 'a')
  expect(proxy.resetOne()).toBe(true)
  expect(await callers[0]?.failure).toBe('ECONNRESET')
  expect(callers[1]?.socket.readyState).toBe('open')
  expect(proxy.resetOne()).toBe(true)
  expect(await callers[1]?.failure).toBe('ECONNRESET')
  expect(proxy.resetOne()).toBe(false)
})

test('a target that is away shows as a reset', async () => {
  const elsewhere = await startFaultProxy({ host: '127.0.0.1', port: proxy.port })
  await proxy.close()
  const socket = connect({ host: '127.0.0.1', port: elsewhere.port })
  const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException]
  expect(error.code).toBe('ECONNRESET')
  await elsewhere.close()
  proxy = await startFaultProxy({ host: '127.0.0.1', port })
})

test('an address leads through the proxy and keeps everything else', () => {
  expect(proxy.through('postgres://a:b@db.example:5432/x?y=z')).toBe(
    `postgres://a:b@127.0.0.1:${proxy.port}/x?y=z`,
  )
})

test('freeze holds what is sent from the named moment on, and delivers it when it is over', async () => {
  const caller = await call()
  caller.socket.write('first')
  await waitFor(() => caller.heard() === 'first', 5000)
  proxy.set({ kind: 'freeze', at: (sent) => sent.includes('stop') })
  caller.socket.write('second')
  await waitFor(() => caller.heard() === 'firstsecond', 5000)
  caller.socket.write('stop')
  const other = await call()
  other.socket.write('free')
  await waitFor(() => other.heard() === 'free', 5000)
  expect(caller.heard()).toBe('firstsecond')
  proxy.set({ kind: 'none' })
  await waitFor(() => caller.heard() === 'firstsecondstop', 5000)
})

test('lose_reply lets the request arrive and resets the line instead of the reply', async () => {
  const caller = await call()
  let heard = ''
  caller.socket.write('first')
  await waitFor(() => caller.heard() === 'first', 5000)
  arrived[0]?.on('data', (bytes) => {
    heard += bytes
  })
  proxy.set({ kind: 'lose_reply', at: (_, count) => count === 0 })
  caller.socket.write('second')
  expect(await caller.failure).toBe('ECONNRESET')
  expect([heard, caller.heard()]).toEqual(['second', 'first'])
})

test('cut resets the line before the named moment arrives', async () => {
  const caller = await call()
  let heard = ''
  caller.socket.write('first')
  await waitFor(() => caller.heard() === 'first', 5000)
  arrived[0]?.on('data', (bytes) => {
    heard += bytes
  })
  proxy.set({ kind: 'cut', at: () => true })
  caller.socket.write('second')
  expect(await caller.failure).toBe('ECONNRESET')
  expect(heard).toBe('')
})
