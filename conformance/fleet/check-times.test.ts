import { DeskCaller } from '@crewhall/testkit/desk-caller.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock, type VirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { join } from './desk-agent.ts'
import { DeskWorkspace } from './desk-workspace.ts'
import { HeldSidecar } from './held-sidecar.ts'

const env = { DESK_NETWORKS: '127.0.0.0/8' }
const server = useServer('product', env)
const opened: HeldSidecar[] = []
let clock: VirtualClock
let api: ServerProcess
let at: DeskWorkspace
const get = (path: string, init?: RequestInit) => fetch(`${api.url}${path}`, init)
beforeAll(async () => {
  clock = createVirtualClock(server.database.name)
  const [started] = await Promise.all([
    server.start('api', { ...env, ...clock.env }),
    server.start('worker', { ...env, ...clock.env }),
  ])
  api = started
  at = await DeskWorkspace.open({ sql: server.sql, get })
})
afterAll(async () => {
  await Promise.all(opened.map((each) => each.close()))
  clock?.close()
})

const patienceMs = 30_000
let offset_s = 0
const advance = async (seconds: number) => {
  offset_s += seconds
  await clock.advance(seconds * 1000)
}

async function joined(): Promise<HeldSidecar> {
  const { workstation_id, pat } = await at.ordered()
  const desk = new DeskCaller(workstation_id, pat)
  const sidecar = new HeldSidecar()
  opened.push(sidecar)
  sidecar.desk = desk
  const created = Math.floor(Date.now() / 1000) + offset_s
  const { status } = await join(get, desk, { sidecar_url: await sidecar.listen() }, { created })
  if (status !== 200) throw new Error(`joining was refused with ${status}`)
  await waitFor(() => sidecar.waiting > 0, patienceMs)
  return sidecar
}

test('DESK-G14: where nothing else is set, a desk is checked every 30 seconds and given 5 for its answer', async () => {
  const desk = await joined()
  desk.answer()
  await waitFor(async () => (await at.list()).items.some(({ ready }) => ready), patienceMs)
  await advance(25)
  // A whole round later, in which another desk was checked that is due, this one has not been asked again.
  const other = await joined()
  expect(desk.asked).toBe(1)
  await advance(10)
  await waitFor(() => desk.asked === 2, patienceMs)
  await waitFor(() => other.given_up_ms.length > 0, patienceMs)
  const [waited = 0] = other.given_up_ms
  console.log(`given up after ${Math.round(waited)} ms`)
  expect(waited).toBeGreaterThan(4500)
  expect(waited).toBeLessThan(9000)
})
