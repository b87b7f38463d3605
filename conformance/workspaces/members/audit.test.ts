import { createHash } from 'node:crypto'
import { json, newEmail, newToken, signUp } from '@crewhall/testkit/people.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { expect, test } from 'vitest'
import { linkTo } from './invitation-links.ts'
import { newMailAddress } from './letters.ts'
import { memberVerbs, type Team } from './member-verbs.ts'

const adminKey = 'admin-key-of-today'
const server = useServer('product', {
  ADMIN_KEY_DIGESTS: createHash('sha256').update(adminKey).digest('hex'),
})
const world = new World(server)
const { newTeam, givePassword } = memberVerbs(world)
const get = (path: string, init?: RequestInit) => server.get(path, init)

interface Entry {
  readonly action: string
  readonly target: string
  readonly old_value: unknown
  readonly new_value: unknown
  readonly actor_kind: string
  readonly actor_person_id: number | null
  readonly credential: string | null
  readonly request_id: string | null
}

const entriesOf = (brand_id: number): Promise<Entry[]> =>
  world.sql<Entry>(
    `select action, target, old_value, new_value, actor_kind, actor_person_id, credential, request_id
     from platform.audit_entries where brand_id = $1 order by id`,
    [brand_id],
  )
/** The audit of a team, without what every entry here has in common. */
async function told(team: Team) {
  const entries = await entriesOf(team.brand_id)
  for (const { actor_kind, actor_person_id, credential, request_id } of entries) {
    expect([actor_kind, actor_person_id, credential]).toEqual(['person', team.admin.person_id, 'token'])
    expect(request_id).toEqual(expect.any(String))
  }
  return entries.map(({ action, target, old_value, new_value }) => ({ action, target, old_value, new_value }))
}

test('changes of role and position are written with what was before, and a change to the same is none', async () => {
  const team = await newTeam()
  const path = `/members/${team.member.person_id}`
  const target = `member:${team.member.person_id}`
  await team.call('PATCH', path, { role: 'admin', position: 'Designer' })
  await team.call('PATCH', path, { role: 'admin', position: 'Designer' })
  await team.call('PATCH', path, { position: null })
  expect(await told(team)).toEqual([
    { action: 'member.role_changed', target, old_value: { role: 'member' }, new_value: { role: 'admin' } },
    {
      action: 'member.position_changed',
      target,
      old_value: { position: null },
      new_value: { position: 'Designer' },
    },
    {
      action: 'member.position_changed',
      target,
      old_value: { position: 'Designer' },
      new_value: { position: null },
    },
  ])
})

test('a refused change writes nothing', async () => {
  const team = await newTeam()
  await team.call('PATCH', `/members/${team.admin.person_id}`, { role: 'member', position: 'x' })
  await team.call('DELETE', `/members/${team.admin.person_id}`)
  await team.call('POST', `/members/${team.member.person_id}/set-password`, { password: 'long enough' })
  await team.call('DELETE', '/invitations/2000000000')
  expect(await told(team)).toEqual([])
})

test('removals and passwords are written, and no password is', async () => {
  const team = await newTeam()
  const { person_id } = team.member
  await givePassword(person_id)
  await world.sql('update identity.people set email = $2 where id = $1', [person_id, newMailAddress()])
  const target = `member:${person_id}`
  expect((await team.call('POST', `/members/${person_id}/reset-password`)).status).toBe(200)
  await team.call('POST', `/members/${person_id}/set-password`, { password: 'a secret password' })
  await team.call('DELETE', `/members/${person_id}`)
  const entries = await told(team)
  expect(entries).toEqual([
    { action: 'member.password_reset_requested', target, old_value: null, new_value: null },
    { action: 'member.password_set', target, old_value: null, new_value: null },
    { action: 'member.removed', target, old_value: { role: 'member' }, new_value: null },
  ])
})

test('an invitation is written from its making to its end', async () => {
  const team = await newTeam()
  const emails = [newEmail(), newEmail()]
  const ids: number[] = []
  for (const email of emails) {
    const { body } = await team.call('POST', '/invitations', { email, role: 'admin' })
    ids.push((body as { id: number }).id)
  }
  await team.call('POST', `/invitations/${ids[0]}/resend`)
  await team.call('DELETE', `/invitations/${ids[0]}`)
  expect((await told(team)).map(({ action, target }) => [action, target])).toEqual([
    ['invitation.created', `invitation:${ids[0]}`],
    ['invitation.created', `invitation:${ids[1]}`],
    ['invitation.resent', `invitation:${ids[0]}`],
    ['invitation.revoked', `invitation:${ids[0]}`],
  ])
  const token = await linkTo(world, ids[1] ?? 0)
  const body = { token, full_name: 'Bo', password: 'a secret password' }
  const { user_id } = (await (await get('/api/v1/invitations/accept', json(body))).json()) as {
    user_id: number
  }
  expect((await entriesOf(team.brand_id)).at(-1)).toMatchObject({
    action: 'invitation.accepted',
    target: `invitation:${ids[1]}`,
    new_value: { user_id, role: 'admin' },
    actor_kind: 'nobody',
  })
})

test('tokens are written when they are issued, rotated and revoked, without their secrets', async () => {
  const owner = await signUp(get)
  const { id, token } = await newToken(get, owner, ['brand:read'])
  const path = `/api/v1/brands/${owner.brand_id}/tokens/${id}`
  const headers = { cookie: owner.cookie }
  const rotated = (await (await get(`${path}/rotate`, { method: 'POST', headers })).json()) as {
    token: string
  }
  await get(path, { method: 'DELETE', headers })
  const entries = (await entriesOf(owner.brand_id)).filter(({ target }) => target === `token:${id}`)
  expect(entries.map(({ action, credential }) => [action, credential])).toEqual([
    ['token.issued', 'session'],
    ['token.rotated', 'session'],
    ['token.revoked', 'session'],
  ])
  expect(entries[0]?.new_value).toMatchObject({ scopes: ['brand:read'], person_id: owner.person_id })
  for (const secret of [token, rotated.token]) expect(JSON.stringify(entries)).not.toContain(secret)
})

test('a sign-up writes that there is a workspace', async () => {
  const { brand_id, person_id } = await signUp(get, 'Our place')
  expect(await entriesOf(brand_id)).toMatchObject([
    {
      action: 'brand.created',
      target: `brand:${brand_id}`,
      old_value: null,
      new_value: { name: 'Our place', plan_key: 'free', admin_id: person_id },
      actor_kind: 'nobody',
    },
  ])
})

test('what an operator changes is written with both values', async () => {
  const brand_id = await world.newBrand(['brand:read'])
  const put = async (path: string, body: object) => {
    const init = { ...json(body, { 'x-admin-key': adminKey }), method: 'PUT' }
    expect((await get(`/api/v1/admin/brands/${brand_id}/${path}`, init)).status).toBe(200)
  }
  await put('plan', { plan_key: 'team' })
  await put('plan', { plan_key: 'team' })
  await put('subscription', { status: 'active', ends_at: null })
  await put('policy', { scope_ceiling: ['brand:read', 'brand:admin'] })
  const entries = await entriesOf(brand_id)
  expect(entries.map(({ action, old_value, new_value }) => [action, old_value, new_value])).toEqual([
    ['brand.plan_changed', { plan_key: 'free' }, { plan_key: 'team' }],
    ['brand.subscription_changed', { status: 'none', ends_at: null }, { status: 'active', ends_at: null }],
    [
      'brand.policy_changed',
      { scope_ceiling: ['brand:read'] },
      { scope_ceiling: ['brand:read', 'brand:admin'] },
    ],
  ])
  expect(entries.every(({ credential }) => credential === 'admin_key')).toBe(true)
})
