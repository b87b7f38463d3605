import { useServer } from '@crewhall/testkit/test-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { expect, test } from 'vitest'
import { type Admin, adminEnv, featureVerbs, type Key, keys } from './feature-verbs.ts'

// Boards of the type `crm`, sources of conversations and desks are the product's own. For skills the probe's server counts
// real rows of a table of its own, as a module of the product will.

const server = useServer('probe', adminEnv)
const at = new World(server)
const { newAdmin, read, put, operate } = featureVerbs(at)
const hold = (brand_id: number, feature: Exclude<Key, 'crm' | 'feed' | 'machines'>, count: number) =>
  at.sql('insert into probe.held_things (brand_id, feature) select $1, $2 from generate_series(1, $3)', [
    brand_id,
    feature,
    count,
  ])
const held = (brand_id: number) =>
  at.sql('select id, feature from probe.held_things where brand_id = $1 order by id', [brand_id])

const on =
  (at: string) =>
  async <Body>({ token }: Pick<Admin, 'token'>, method: string, path: string, body?: object) => {
    const response = await server.get(`${at}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    if (!response.ok) throw new Error(`${path} was answered ${response.status}`)
    return (response.status === 204 ? undefined : await response.json()) as Body
  }
const onBoards = on('/api/v1/board/boards')
const keyOfBoard = (n: number) => `CRM${String.fromCharCode(65 + n)}`
const openBoards = async (admin: Admin, count: number, board_type = 'crm') => {
  const ids: string[] = []
  for (let n = 0; n < count; n += 1) {
    const board = { name: 'Clients', key: keyOfBoard(n), board_type }
    ids.push((await onBoards<{ id: string }>(admin, 'POST', '', board)).id)
  }
  return ids
}

const bySources = on('/api/v1/memory/sources')
const onSources = async <Body>(admin: Admin, method: string, path: string, body?: object) =>
  bySources<Body>({ token: await at.newToken(admin, ['memory:read', 'memory:write']) }, method, path, body)
const addSources = async (admin: Admin, count: number) => {
  await at.sql(`insert into identity.agents (brand_id, agent_id, name) values ($1, 'bot', 'Bot')`, [
    admin.brand_id,
  ])
  const ids: string[] = []
  for (let n = 0; n < count; n += 1) {
    const source = { agent_id: 'bot', source_type: 'openclaw' }
    ids.push((await onSources<{ id: string }>(admin, 'POST', '', source)).id)
  }
  return ids
}

const orderDesks = async ({ person_id, brand_id }: Admin, count: number) => {
  const cookie = await at.newCookie(person_id, brand_id)
  for (let n = 0; n < count; n += 1)
    await at.made({ cookie }, 'POST', '/api/v1/workstations', { name: 'Desk' })
}

test('FEAT-11, FEAT-G1: each switch tells how much its feature holds, in this workspace only', async () => {
  const [ann, ben] = [await newAdmin(), await newAdmin()]
  await hold(ann.brand_id, 'skills', 1)
  await addSources(ann, 2)
  await orderDesks(ann, 2)
  await openBoards(ann, 4)
  await openBoards(ben, 7)
  await addSources(ben, 1)
  const { switches } = (await read(ann)).body
  expect(keys.map((key) => switches[key].holds)).toEqual([
    { installed_packages: 1 },
    { feed_sources: 2 },
    { machines: 2 },
    { crm_boards: 4 },
  ])
})

test('K20 FEAT-11: crm holds boards of its type, archived or not, and no others', async () => {
  const admin = await newAdmin('business')
  const held = async () => (await read(admin)).body.switches.crm.holds
  await onBoards(admin, 'POST', '', { name: 'Sprint', key: 'SPRINT', board_type: 'kanban' })
  expect(await held()).toEqual({ crm_boards: 0 })
  const [first, second] = await openBoards(admin, 3)
  expect(await held()).toEqual({ crm_boards: 3 })
  await onBoards(admin, 'POST', `/${first}/archive`)
  await onBoards(admin, 'PATCH', `/${second}`, { board_type: 'kanban' })
  expect(await held()).toEqual({ crm_boards: 2 })
})

test('CONV-05 FEAT-11: feed holds sources of conversations, enabled or not, until they are deleted', async () => {
  const admin = await newAdmin('business')
  const held = async () => (await read(admin)).body.switches.feed
  expect(await held()).toMatchObject({ source: 'plan_default', holds: { feed_sources: 0 } })
  const [first, second] = await addSources(admin, 2)
  await onSources(admin, 'PATCH', `/${first}`, { enabled: false })
  expect(await held()).toMatchObject({ source: 'data_default', holds: { feed_sources: 2 } })
  await onSources(admin, 'DELETE', `/${second}`)
  expect(await held()).toMatchObject({ holds: { feed_sources: 1 } })
})

test('FEAT-12, FEAT-G3: turning feed off leaves its sources, their count and their routes as they were', async () => {
  const admin = await newAdmin('business')
  const [source] = await addSources(admin, 2)
  const before = await onSources(admin, 'GET', `/${source}`)
  const { feed } = (await put(admin, 'feed', { on: false })).body.switches
  expect(feed).toMatchObject({ on: false, source: 'admin', holds: { feed_sources: 2 } })
  expect(await onSources(admin, 'GET', `/${source}`)).toEqual(before)
  await onSources(admin, 'POST', '', { agent_id: 'bot', source_type: 'openclaw' })
  expect((await read(admin)).body.switches.feed).toMatchObject({ on: false, holds: { feed_sources: 3 } })
})

test('FEAT-07: a switch nobody set in a workspace with data for it says data_default', async () => {
  const admin = await newAdmin('business')
  await openBoards(admin, 1)
  const { crm, feed } = (await read(admin)).body.switches
  expect(crm).toMatchObject({ on: true, source: 'data_default', changed_by: null, changed_at: null })
  expect(feed.source).toBe('plan_default')
})

test('FEAT-07, FEAT-G2: data does not open a feature that the plan lacks', async () => {
  const admin = await newAdmin('free')
  await orderDesks(admin, 1)
  const { machines } = (await read(admin)).body.switches
  expect(machines).toMatchObject({ on: false, locked_by_plan: true, source: 'data_default' })
})

test('FEAT-08: what an admin has set says admin, with data or without', async () => {
  const admin = await newAdmin('business')
  await put(admin, 'crm', { on: true })
  await openBoards(admin, 1)
  expect((await read(admin)).body.switches.crm.source).toBe('admin')
})

test('FEAT-12: turning a feature off leaves its things and their count as they were', async () => {
  const admin = await newAdmin('business')
  await hold(admin.brand_id, 'skills', 3)
  const before = await held(admin.brand_id)
  const { skills } = (await put(admin, 'skills', { on: false })).body.switches
  expect(skills).toMatchObject({ on: false, holds: { installed_packages: 3 } })
  expect(await held(admin.brand_id)).toEqual(before)
})

test('FEAT-12, FEAT-G3: turning crm off leaves its boards, their count and their routes as they were', async () => {
  const admin = await newAdmin('business')
  const [board] = await openBoards(admin, 2)
  const before = await onBoards(admin, 'GET', `/${board}`)
  const { crm } = (await put(admin, 'crm', { on: false })).body.switches
  expect(crm).toMatchObject({ on: false, source: 'admin', holds: { crm_boards: 2 } })
  expect(await onBoards(admin, 'GET', `/${board}`)).toEqual(before)
  const made = { name: 'Another', key: 'MORE', board_type: 'crm' }
  expect(await onBoards(admin, 'POST', '', made)).toMatchObject({ board_type: 'crm' })
  expect((await read(admin)).body.switches.crm).toMatchObject({ on: false, holds: { crm_boards: 3 } })
})

test('FEAT-12, FEAT-G7: a plan without the feature leaves its things and their count as they were', async () => {
  const admin = await newAdmin('business')
  await orderDesks(admin, 3)
  await operate(`/brands/${admin.brand_id}/plan`, { plan_key: 'free' })
  expect((await read(admin)).body.switches.machines).toMatchObject({ on: false, holds: { machines: 3 } })
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
