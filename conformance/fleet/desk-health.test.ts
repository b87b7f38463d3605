import { DeskCaller } from '@crewhall/testkit/desk-caller.ts'
import { freePort } from '@crewhall/testkit/free-port.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { beat, join } from './desk-agent.ts'
import { DeskWorkspace } from './desk-workspace.ts'
import { StandInSidecar } from './stand-in-sidecar.ts'

// Each desk is checked five times a second.
const env = {
  DESK_NETWORKS: '127.0.0.0/8',
  DESK_CHECK_INTERVAL_MS: '200',
  DESK_CHECK_TIMEOUT_MS: '5000',
}
const server = useServer('product', env)
const inside = await freePort()
const { get } = server
const opened: StandInSidecar[] = []
let at: DeskWorkspace
beforeAll(async () => {
  at = await DeskWorkspace.open(server)
  await server.start('worker', { ...env, METRICS_PORT: String(inside) })
})
afterAll(() => Promise.all(opened.map((each) => each.close())))

const patienceMs = 60_000

const missed = async (was: string) => {
  const text = await (await fetch(`http://127.0.0.1:${inside + 1}/metrics`)).text()
  const series = new RegExp(`^crewhall_desk_checks_total\\{outcome="missed",was="${was}"\\} (\\d+)$`, 'm')
  return Number(series.exec(text)?.[1] ?? 0)
}

async function joined() {
  const { workstation_id, pat } = await at.ordered()
  const desk = new DeskCaller(workstation_id, pat)
  const sidecar = new StandInSidecar()
  opened.push(sidecar)
  sidecar.as(desk)
  const sidecar_url = await sidecar.listen()
  const { status } = await join(get, desk, { sidecar_url })
  if (status !== 200) throw new Error(`joining was refused with ${status}`)
  return { desk, sidecar, id: workstation_id }
}
const statusOf = async (id: string) => (await at.show(id)).body.status
const until = (id: string, status: string) => waitFor(async () => (await statusOf(id)) === status, patienceMs)
const stallOf = async (id: string) =>
  (await at.show(id)).body.onboarding_steps.find(({ done }) => !done) ?? null
const checked = (sidecar: StandInSidecar, more: number) => {
  const from = sidecar.asked
  return waitFor(() => sidecar.asked >= from + more, patienceMs)
}

test('DESK-38 to DESK-41, DESK-64, DESK-G13, DESK-G15, DESK-G21, ENV-18, ENV-20, ENV-21: ready, lost, and ready again', async () => {
  const { desk, sidecar, id } = await joined()
  await until(id, 'ready')
  expect((await at.show(id)).body).toMatchObject({ ready: true })
  expect(await stallOf(id)).toBeNull()
  const { body } = await at.change(id, {})
  expect(body).toMatchObject({ status: 'active', sidecar_version: '0.3.0', last_upgrade_at: null })

  sidecar.mood = 'silent'
  await until(id, 'unreachable')
  expect(await stallOf(id)).toMatchObject({ key: 'sidecar_up', state: 'failed', reason: 'unreachable' })
  // It reports, and is not ready by that.
  expect((await beat(get, desk)).status).toBe(200)
  await checked(sidecar, 2)
  expect(await statusOf(id)).toBe('unreachable')
  // An alert on misses asks only for desks that were ready until then.
  expect(await missed('ready')).toBeGreaterThanOrEqual(3)
  expect(await missed('other')).toBeGreaterThanOrEqual(1)

  sidecar.mood = 'well'
  sidecar.version = '0.3.1'
  await until(id, 'ready')
  expect((await at.change(id, {})).body).toMatchObject({
    sidecar_version: '0.3.1',
    last_upgrade_at: expect.any(String),
  })
  expect((await at.events()).filter((type) => /reached|lost/.test(type))).toEqual([
    'desk.reached',
    'desk.lost',
    'desk.reached',
  ])
})

test('DESK-G12, DESK-61: what is not signed over the nonce is no answer, and a desk that never answered waits', async () => {
  const { sidecar, id } = await joined()
  sidecar.mood = 'replaying'
  await checked(sidecar, 6)
  expect(await statusOf(id)).toBe('provisioning')
  sidecar.mood = 'another'
  await waitFor(async () => (await stallOf(id))?.reason === 'misrouted', patienceMs)
  expect(await stallOf(id)).toMatchObject({ key: 'sidecar_up', state: 'failed' })
  sidecar.mood = 'well'
  await until(id, 'ready')
})

test('DESK-44, DESK-42, ENV-05 to ENV-08: a suspended desk is not checked, and a resumed one is lost with three misses', async () => {
  const { sidecar, id } = await joined()
  await until(id, 'ready')
  await at.change(id, { status: 'suspended' })
  const other = await joined()
  await until(other.id, 'ready')
  // One check may have been under way; the other desk has been checked many times since.
  const before = sidecar.asked
  await checked(other.sidecar, 10)
  expect(sidecar.asked - before).toBeLessThanOrEqual(1)
  expect(await statusOf(id)).toBe('suspended')

  sidecar.mood = 'silent'
  expect((await at.change(id, { status: 'provisioned' })).body.status).toBe('provisioned')
  await until(id, 'unreachable')
  sidecar.mood = 'well'
  await until(id, 'ready')
})

test('a check that says nothing new writes nothing', async () => {
  const { sidecar, id } = await joined()
  await until(id, 'ready')
  await checked(sidecar, 2)
  const version = async () =>
    (await at.world.sql('select xmin::text from fleet.desks where id = $1', [id]))[0]
  const before = await version()
  await checked(sidecar, 10)
  expect(await version()).toEqual(before)
})

test('a released desk is not checked any more, and two machines with one key are lost', async () => {
  const [gone, copied] = [await joined(), await joined()]
  await Promise.all([until(gone.id, 'ready'), until(copied.id, 'ready')])
  await at.call('DELETE', `/workstations/${gone.id}`)
  const created = Math.floor(Date.now() / 1000)
  for (const [n, each] of [copied.desk, copied.desk.again(), copied.desk].entries())
    await beat(get, each, {}, { created: created - 30 + n * 10 })
  await until(copied.id, 'unreachable')
  expect(await stallOf(copied.id)).toMatchObject({ reason: 'misrouted' })
  const before = gone.sidecar.asked
  await waitFor(async () => (await at.events()).includes('desk.quarantined'), patienceMs)
  expect(gone.sidecar.asked - before).toBe(0)
})
