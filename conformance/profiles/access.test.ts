import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Profile, ProfileWorkspace, root } from './profile-workspace.ts'

const server = useSharedServer('product')
let workspace: ProfileWorkspace
let other: ProfileWorkspace
beforeAll(async () => {
  workspace = await ProfileWorkspace.open(server)
  other = await ProfileWorkspace.open(server)
})

const notFound = { status: 404, body: { detail: 'Not found' } }
const adminOnly = { status: 403, body: { detail: 'Brand admin access required' } }

const routes = [
  ['GET', root],
  ['GET', `${root}/claude.hard`],
  ['GET', `${root}/claude.hard/history`],
  ['PUT', `${root}/claude.hard/override`],
  ['DELETE', `${root}/claude.hard/override/effort`],
] as const

test.each(routes)('AUTH-10: %s %s without a token or with a wrong one is 401', async (method, path) => {
  for (const headers of [{}, { authorization: 'Bearer chp_wrong' }]) {
    const response = await server.get(path, { method, headers })
    expect(response.status).toBe(401)
    expect(await response.json()).toEqual({ detail: 'Not authenticated' })
  }
})

test('AUTH-20: any active member reads profiles, with a token that has no scope', async () => {
  for (const path of [root, `${root}/claude.hard`, `${root}/claude.hard/history`]) {
    expect((await workspace.call('GET', path, undefined, bearer(workspace.member))).status).toBe(200)
  }
})

test('PROF-G14: a credential that may only read, as a desk has one, gets the profile and changes nothing', async () => {
  expect(
    (await workspace.call('GET', `${root}/codex.docs`, undefined, bearer(workspace.member))).status,
  ).toBe(200)
  for (const [method, path] of routes.slice(3)) {
    expect((await workspace.call(method, path, { effort: 'low' }, bearer(workspace.member))).status).toBe(403)
  }
})

test('PROF-68: a member who is no admin can neither change nor reset', async () => {
  expect(await workspace.put('claude.docs', { effort: 'high' }, workspace.member)).toEqual(adminOnly)
  expect(await workspace.reset('claude.docs', 'effort', workspace.member)).toEqual(adminOnly)
  expect(await workspace.history('claude.docs')).toEqual([])
})

test('PROF-G12: a member with an unknown key hears of the role first', async () => {
  expect(await workspace.put('claude.none', { effort: 'high' }, workspace.member)).toEqual(adminOnly)
  expect(await workspace.reset('claude.none', 'effort', workspace.member)).toEqual(adminOnly)
})

test.each([
  'claude.none',
  'claude',
  'claude_code.hard',
  'Claude.hard',
  'claude.hard ',
  'constructor',
  '__proto__',
  '%00',
])('PROF-33: %s is the key of no profile on any route', async (name) => {
  const key = name === '%00' ? name : encodeURIComponent(name)
  expect(await workspace.call('GET', `${root}/${key}`)).toEqual(notFound)
  expect(await workspace.call('GET', `${root}/${key}/history`)).toEqual(notFound)
  expect(await workspace.put(key, { effort: 'low' })).toEqual(notFound)
  expect(await workspace.reset(key, 'effort')).toEqual(notFound)
})

test('PROF-34 PROF-G5 PROF-G6: a coder that the workspace closed is not found and not listed, until it is opened', async () => {
  await workspace.put('pi.docs', { effort: 'high' })
  expect(await workspace.open('pi', false)).toEqual({ status: 200, body: { coder: 'pi', available: false } })
  expect(await workspace.call('GET', `${root}/pi.docs`)).toEqual(notFound)
  expect(await workspace.call('GET', `${root}/pi.docs/history`)).toEqual(notFound)
  expect(await workspace.put('pi.docs', { effort: 'low' })).toEqual(notFound)
  expect(await workspace.reset('pi.docs', 'effort')).toEqual(notFound)
  const listed = (await workspace.list()).map(({ coder }) => coder)
  expect(listed).toHaveLength(24)
  expect(listed).not.toContain('pi')
  expect(await other.list('?coder=pi')).toHaveLength(6)

  await workspace.open('pi', true)
  expect((await workspace.read('pi.docs')).effort).toBe('high')
  expect(await workspace.history('pi.docs')).toHaveLength(1)
})

test('PROF-G6: all coders are available by default, and only an admin closes one', async () => {
  const path = '/api/v1/factory/coders'
  const { body } = await other.call<{ coder: string; available: boolean }[]>('GET', path)
  expect(body.map(({ coder }) => coder)).toEqual(['claude_code', 'codex', 'openhands', 'opencode', 'pi'])
  expect(body.every(({ available }) => available)).toBe(true)
  expect(await other.open('codex', false, other.member)).toEqual(adminOnly)
  expect(await other.open('claude', false)).toEqual(notFound)
})

test('PROF-27: changes of one workspace are never seen in another', async () => {
  await workspace.put('opencode.test', { model: 'claude-sonnet-5', limit_value: 7 })
  const [own, foreign] = [await workspace.read('opencode.test'), await other.read('opencode.test')]
  expect(own).toMatchObject({ model: 'claude-sonnet-5', limits: { max_steps: 7 } })
  expect(foreign).toMatchObject({ model: 'MiniMax-M3', limits: { max_steps: 120 } })
  expect(foreign.sources).toEqual({ model: 'platform', effort: 'platform', limit_value: 'platform' })
  expect((await workspace.list()).find(({ key }) => key === 'opencode.test')).toEqual(own)
  expect((await other.list()).find(({ key }) => key === 'opencode.test')).toEqual(foreign)
  expect(await other.history('opencode.test')).toEqual([])
})

test('PROF-41: an admin of the workspace is told as brand_admin, one of the platform as platform_admin', async () => {
  const third = await ProfileWorkspace.open(server)
  await third.put('claude.test', { effort: 'high' })
  await server.sql('update identity.people set is_staff = true where id = $1', [third.owner.person_id])
  await server.sql('update identity.brands set auth_epoch = auth_epoch + 1 where id = $1', [
    third.owner.brand_id,
  ])
  await third.put('claude.test', { effort: 'low' })
  const roles = (await third.history('claude.test')).map(({ actor_role }) => actor_role)
  expect(roles).toEqual(['platform_admin', 'brand_admin'])
})

test('every change is in the audit of the workspace, and a change of nothing is not', async () => {
  const third = await ProfileWorkspace.open(server)
  await third.put('claude.test', { effort: 'high' })
  await third.put('claude.test', { effort: 'high' })
  await third.reset('claude.test', 'effort')
  await third.open('codex', false)
  await third.open('codex', false)
  const rows = await server.sql(
    `select action, target, actor_person_id, credential from platform.audit_entries
     where brand_id = $1 and action in ('profile.changed', 'coder.changed') order by id`,
    [third.owner.brand_id],
  )
  const by = { actor_person_id: third.owner.person_id, credential: 'token' }
  expect(rows).toEqual([
    { action: 'profile.changed', target: 'coder_profile:claude.test', ...by },
    { action: 'profile.changed', target: 'coder_profile:claude.test', ...by },
    { action: 'coder.changed', target: 'coder:codex', ...by },
  ])
})

test('a catalog that has moved on takes its own value where a stored one would be refused', async () => {
  const third = await ProfileWorkspace.open(server)
  const before = await third.read('claude.docs')
  await server.sql(
    `insert into profiles.overrides (brand_id, profile_key, model, effort, limit_value)
     values ($1, 'claude.docs', 'claude-opus-4', 'high', 100000)`,
    [third.owner.brand_id],
  )
  const after: Profile = await third.read('claude.docs')
  expect(after).toMatchObject({ model: before.model, effort: 'high', limits: before.limits })
  expect(after.sources).toEqual({ model: 'platform', effort: 'brand', limit_value: 'platform' })
})
