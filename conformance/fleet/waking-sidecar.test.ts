import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useSidecars } from '@crewhall/testkit/sidecar-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock, type VirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DeskWorkspace } from './desk-workspace.ts'

const env = { DESK_NETWORKS: '127.0.0.0/8' }
const server = useServer('product', env)
const sidecars = useSidecars()
let clock: VirtualClock
let api: ServerProcess
beforeAll(async () => {
  clock = createVirtualClock(server.database.name)
  api = await server.start('api', { ...env, ...clock.env, UPGRADE_URL: 'https://example.com/plans' })
})
afterAll(() => clock?.close())

const day = 24 * 3_600_000
const limitMs = 30_000

test('DESK-47, DESK-49: a dormant desk is live and counted again with the first report of its sidecar, above the cap', async () => {
  const get = (path: string, init?: RequestInit) => fetch(`${api.url}${path}`, init)
  const at = await DeskWorkspace.open({ sql: server.sql, get }, 1)
  const { workstation_id: id, pat } = await at.ordered({ name: 'Sleeper' })
  const sidecar = await sidecars.start({ server_url: api.url, env_id: id, pat, clock })
  await sidecar.logged('registered')
  const seenAt = async () => String((await at.change(id, {})).body.last_seen_at)
  await waitFor(async () => (await at.show(id)).body.onboarding_steps[1]?.done, limitMs)
  expect(await sidecar.stop()).toBe(0)
  const before = await seenAt()

  await clock.advance(14 * day + 60_000)
  expect((await at.show(id)).body).toMatchObject({ dormant: true, status: 'provisioning' })
  expect((await at.logins()).body).toMatchObject({ checked: 0, dormant: 1 })
  // Its place is given to another.
  await at.ordered({ name: 'Next' })
  expect((await at.order()).body).toMatchObject({ detail: { current: 1 } })

  const again = sidecars.run(sidecar.place)
  await waitFor(async () => !(await at.show(id)).body.dormant, limitMs)
  const list = await at.list()
  expect(list.items.map(({ name }) => name).toSorted()).toEqual(['Next', 'Sleeper'])
  expect(list.dormant).toEqual([])
  expect((await at.logins()).body).toMatchObject({ checked: 2, dormant: 0 })
  expect((await at.order()).body).toMatchObject({ detail: { limit_type: 'workstations', current: 2 } })
  expect(Date.parse(await seenAt()) - Date.parse(before)).toBeGreaterThanOrEqual(14 * day)
  expect(again.logs('a beat failed')).toEqual([])
  expect(await again.stop()).toBe(0)
})
