import { useServer } from '@crewhall/testkit/test-server.ts'
import { expect, test } from 'vitest'
import { useWorkspaces } from '../identity/auth-workspaces.ts'
import { adminEnv, featureCalls, type Key, keys } from './feature-calls.ts'

// The probe's server counts real rows of a table of its own for each feature, as modules of the product will.

const server = useServer('probe', adminEnv)
const at = useWorkspaces(() => server.database)
const { newAdmin, read, put, operate } = featureCalls(server, at)
const hold = (brand_id: number, feature: Key, count: number) =>
  at.sql('insert into probe.held_things (brand_id, feature) select $1, $2 from generate_series(1, $3)', [
    brand_id,
    feature,
    count,
  ])
const held = (brand_id: number) =>
  at.sql('select id, feature from probe.held_things where brand_id = $1 order by id', [brand_id])

test('FEAT-11, FEAT-G1: each switch tells how much its feature holds, in this workspace only', async () => {
  const [ann, ben] = [await newAdmin(), await newAdmin()]
  for (const [at, key] of keys.entries()) await hold(ann.brand_id, key, at + 1)
  await hold(ben.brand_id, 'crm', 7)
  const { switches } = (await read(ann)).body
  expect(keys.map((key) => switches[key].holds)).toEqual([
    { installed_packages: 1 },
    { feed_sources: 2 },
    { machines: 3 },
    { crm_boards: 4 },
  ])
})

test('FEAT-07: a switch nobody set in a workspace with data for it says data_default', async () => {
  const admin = await newAdmin('business')
  await hold(admin.brand_id, 'crm', 1)
  const { crm, feed } = (await read(admin)).body.switches
  expect(crm).toMatchObject({ on: true, source: 'data_default', changed_by: null, changed_at: null })
  expect(feed.source).toBe('plan_default')
})

test('FEAT-07, FEAT-G2: data does not open a feature that the plan lacks', async () => {
  const admin = await newAdmin('free')
  await hold(admin.brand_id, 'machines', 1)
  const { machines } = (await read(admin)).body.switches
  expect(machines).toMatchObject({ on: false, locked_by_plan: true, source: 'data_default' })
})

test('FEAT-08: what an admin has set says admin, with data or without', async () => {
  const admin = await newAdmin('business')
  await put(admin, 'crm', { on: true })
  await hold(admin.brand_id, 'crm', 1)
  expect((await read(admin)).body.switches.crm.source).toBe('admin')
})

test('FEAT-12: turning a feature off leaves its things and their count as they were', async () => {
  const admin = await newAdmin('business')
  await hold(admin.brand_id, 'machines', 3)
  const before = await held(admin.brand_id)
  const { machines } = (await put(admin, 'machines', { on: false })).body.switches
  expect(machines).toMatchObject({ on: false, holds: { machines: 3 } })
  expect(await held(admin.brand_id)).toEqual(before)
})

test('FEAT-12, FEAT-G7: a plan without the feature leaves its things and their count as they were', async () => {
  const admin = await newAdmin('business')
  await hold(admin.brand_id, 'machines', 3)
  const before = await held(admin.brand_id)
  await operate(`/brands/${admin.brand_id}/plan`, { plan_key: 'free' })
  expect((await read(admin)).body.switches.machines).toMatchObject({ on: false, holds: { machines: 3 } })
  expect(await held(admin.brand_id)).toEqual(before)
})

test('FEAT-G3: routes over the things of a feature that is off still answer', async () => {
  const admin = await newAdmin('business')
  for (const key of keys) await put(admin, key, { on: false })
  const token = await at.newToken(admin, ['memory:read', 'memory:write'])
  const things = '/api/v1/probe/auth/things'
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const added = await server.get(things, { method: 'POST', headers, body: '{"name":"kept"}' })
  expect(added.status).toBe(201)
  expect(await (await server.get(things, { headers })).json()).toMatchObject({ things: ['kept'] })
})
