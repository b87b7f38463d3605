import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock, type VirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DeskWorkspace } from './desk-workspace.ts'

const server = useServer('product')
let clock: VirtualClock
let api: ServerProcess
beforeAll(async () => {
  clock = createVirtualClock(server.database.name)
  api = await server.start('api', { ...clock.env, UPGRADE_URL: 'https://example.com/plans' })
})
afterAll(() => clock?.close())

const day = 24 * 3_600_000
const open = (cap: number) =>
  DeskWorkspace.open({ sql: server.sql, get: (path, init) => fetch(`${api.url}${path}`, init) }, cap)

test('DESK-24, DESK-43, DESK-45 to DESK-48, DESK-50, DESK-G6, DESK-G16, DESK-G17, ENV-41: two silent weeks', async () => {
  const at = await open(2)
  const [silent, paused] = [await at.ordered({ name: 'Silent' }), await at.ordered({ name: 'Paused' })]
  await at.change(paused.workstation_id, { status: 'suspended' })
  await clock.advance(13 * day)
  expect((await at.list()).dormant).toEqual([])
  expect((await at.order()).status).toBe(403)
  await clock.advance(day + 60_000)

  const list = await at.list()
  expect([list.items, list.dormant].map((desks) => desks.map(({ name }) => name))).toEqual([
    ['Paused'],
    ['Silent'],
  ])
  expect(list.total).toBe(2)
  expect((await at.show(silent.workstation_id)).body).toMatchObject({ status: 'provisioning', dormant: true })
  expect((await at.show(paused.workstation_id)).body).toMatchObject({ status: 'suspended', dormant: false })
  expect((await at.logins()).body).toMatchObject({ checked: 1, dormant: 1 })

  // Its place is free, the one of the suspended desk is not, and the refusal counts live ones.
  const next = await at.ordered({ name: 'Next' })
  expect(await at.order()).toEqual({
    status: 403,
    body: { detail: { limit_type: 'workstations', current: 2, upgrade_url: 'https://example.com/plans' } },
  })
  expect((await at.logins()).body).toMatchObject({ checked: 2, dormant: 1 })

  // Resuming starts the two weeks anew, for the desk that was suspended all the time.
  await at.change(paused.workstation_id, { status: 'provisioned' })
  await clock.advance(13 * day)
  expect((await at.list()).dormant.map(({ name }) => name)).toEqual(['Silent'])
  await clock.advance(day + 60_000)
  expect((await at.list()).dormant.map(({ name }) => name)).toEqual(['Next', 'Paused', 'Silent'])

  // Nothing deletes them: months later all are there, and can be used.
  await clock.advance(40 * day)
  expect((await at.list()).total).toBe(3)
  expect((await at.change(next.workstation_id, { name: 'Renamed' })).status).toBe(200)
})

test('DESK-43, DESK-57: after a day the hint tells that the token has expired, until there is a new one', async () => {
  const at = await open(5)
  const { workstation_id: id } = await at.ordered()
  const hint = async () => (await at.show(id)).body.onboarding_steps[0]?.hint
  expect(await hint()).not.toContain('expired')
  await clock.advance(day + 60_000)
  expect((await at.show(id)).body.status).toBe('provisioning')
  expect(await hint()).toContain('expired')
  await at.call('POST', `/workstations/${id}/regenerate-pat`)
  expect(await hint()).not.toContain('expired')
})
