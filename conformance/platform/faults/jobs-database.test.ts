import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { type Fault, type FaultProxy, startFaultProxy } from '@crewhall/testkit/fault-proxy.ts'
import { productLimits } from '@crewhall/testkit/limits.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useMarks } from './job-marks.ts'

const server = useServer('probe')
const marks = useMarks(server)
let proxy: FaultProxy
let worker: ServerProcess

beforeAll(async () => {
  const { hostname, port } = new URL(server.database.url)
  proxy = await startFaultProxy({ host: hostname, port: Number(port) })
  worker = await server.start('worker', { DATABASE_URL: proxy.through(server.database.url) })
})
afterAll(async () => {
  await worker.stop()
  await proxy.close()
})

const faults: readonly Fault[] = [{ kind: 'reset' }, { kind: 'drop' }, { kind: 'half_open' }]

test.each(faults)(
  'a worker gets over a database line with fault $kind by itself and works off the queue',
  {
    timeout: 120_000,
  },
  async (fault) => {
    await marks.done(await marks.add(), 20_000)
    const heard = () => worker.logs().filter(({ level }) => level === 'warn').length
    const before = heard()
    proxy.set(fault)
    const keys = await Promise.all(Array.from({ length: 20 }, () => marks.add()))
    await waitFor(() => heard() > before, 30_000)
    for (const key of keys) expect(await marks.effects(key)).toEqual([])
    proxy.set({ kind: 'none' })
    const back = performance.now()
    for (const key of keys) await marks.done(key, 40_000)
    console.log(
      `${fault.kind}: worked off ${((performance.now() - back) / 1000).toFixed(1)} s after the line was back`,
    )
    const waits: number[] = []
    for (let sent = 0; sent < 20; sent += 1)
      waits.push((await marks.done(await marks.add(), 20_000)).waited_ms)
    const median = waits.toSorted((a, b) => a - b)[10] ?? Number.NaN
    console.log(`${fault.kind}: the next twenty jobs started after ${median.toFixed(0)} ms, most of them`)
    expect(median).toBeLessThan(2500)
    expect(worker.child.exitCode).toBeNull()
  },
)

test('a worker that starts while the database is away waits for it', async () => {
  const { hostname, port } = new URL(server.database.url)
  let refused = 0
  let open = false
  const door = createServer((near) => {
    near.on('error', () => {})
    if (open)
      near
        .pipe(connect(Number(port), hostname))
        .on('error', () => near.destroy())
        .pipe(near)
    else {
      refused += 1
      near.destroy()
    }
  })
  await once(door.listen(0, '127.0.0.1'), 'listening')
  const { port: doorPort } = door.address() as AddressInfo
  const url = Object.assign(new URL(server.database.url), { hostname: '127.0.0.1', port: String(doorPort) })
  const starting = server.start('worker', { DATABASE_URL: url.href })
  await waitFor(() => refused >= 3, 60_000)
  open = true
  const late = await starting
  expect(late.logs().some(({ msg }) => msg === 'waiting for the database')).toBe(true)
  expect(await late.stop()).toBe(0)
  door.close()
})

test('enqueueing while the database is away answers 503, leaves no job, and works again afterwards', async () => {
  const api = await server.start('api', {
    ...productLimits,
    DATABASE_URL: proxy.through(server.database.url),
  })
  const add = async (key: string) => {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ key })
    const { status } = await fetch(`${api.url}/api/v1/probe/marks`, { method: 'POST', headers, body })
    return status
  }
  const [lost, kept] = [randomUUID(), randomUUID()]
  proxy.set({ kind: 'reset' })
  expect(await add(lost)).toBe(503)
  proxy.set({ kind: 'none' })
  await waitFor(async () => (await add(kept)) === 202, 20_000)
  await marks.done(kept, 20_000)
  expect(await marks.effects(lost)).toEqual([])
  await api.stop()
})
