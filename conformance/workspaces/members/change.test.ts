import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { expect, test } from 'vitest'
import { memberVerbs } from './member-verbs.ts'

const server = useSharedServer('product')
const world = new World(server)
const { newTeam } = memberVerbs(world)

const success = { status: 200, body: { success: true } }
const refused = (status: number, detail: string) => ({ status, body: { detail } })
const notFound = refused(404, 'Member not found')
const wrongRole = refused(400, "Role must be 'admin' or 'member'")
const noFields = refused(400, 'No fields to update')

test.for(['admin', 'member'])(
  'MBR-01, MBR-02, MBR-03: a role can be %s, and the answer is success alone',
  async (role) => {
    const team = await newTeam()
    const other = role === 'admin' ? 'member' : 'admin'
    const person = await world.join(team.brand_id, other)
    expect(await team.call('PATCH', `/members/${person.person_id}`, { role })).toEqual(success)
    expect((await team.read(person.person_id)).role).toBe(role)
  },
)

test('MBR-04: a position is any text', async () => {
  const team = await newTeam()
  const position = 'Head of <Ünïcode> & 🦀'
  expect(await team.call('PATCH', `/members/${team.member.person_id}`, { position })).toEqual(success)
  expect((await team.read()).position).toBe(position)
})

test('MBR-05: null clears the position, and null alone is a field to update', async () => {
  const team = await newTeam()
  const path = `/members/${team.member.person_id}`
  await team.call('PATCH', path, { position: 'Designer' })
  expect(await team.call('PATCH', path, { position: null })).toEqual(success)
  expect((await team.read()).position).toBeNull()
})

test('MBR-05: a position that is absent stays', async () => {
  const team = await newTeam()
  const path = `/members/${team.member.person_id}`
  await team.call('PATCH', path, { position: 'Designer' })
  expect(await team.call('PATCH', path, { role: 'admin' })).toEqual(success)
  expect(await team.read()).toMatchObject({ role: 'admin', position: 'Designer' })
})

test.for([{}, { title: 'Designer' }, { Role: 'admin', Position: 'x' }, undefined])(
  'MBR-06: the body %j has nothing to update',
  async (body) => {
    const team = await newTeam()
    expect(await team.call('PATCH', `/members/${team.member.person_id}`, body)).toEqual(noFields)
  },
)

test.for(['Admin', 'admin ', 'owner', '', 1, true, ['admin'], { role: 'admin' }])(
  'MBR-07: the role %j is refused, and nothing is written',
  async (role) => {
    const team = await newTeam()
    expect(await team.call('PATCH', `/members/${team.member.person_id}`, { role })).toEqual(wrongRole)
    expect((await team.read()).role).toBe('member')
  },
)

test('MBR-G1: the role null is an other value', async () => {
  const team = await newTeam()
  expect(await team.call('PATCH', `/members/${team.member.person_id}`, { role: null })).toEqual(wrongRole)
})

test('MBR-08: the only admin cannot be made a member', async () => {
  const team = await newTeam()
  const answer = await team.call('PATCH', `/members/${team.admin.person_id}`, { role: 'member' })
  expect(answer).toEqual(refused(409, 'The last workspace admin cannot be changed to a member'))
  expect((await team.read(team.admin.person_id)).role).toBe('admin')
})

test('MBR-08: an admin who is not the only one can be made a member', async () => {
  const team = await newTeam()
  await world.join(team.brand_id, 'admin')
  expect(await team.call('PATCH', `/members/${team.admin.person_id}`, { role: 'member' })).toEqual(success)
})

test('MBR-G2: a refused role together with a good position writes neither', async () => {
  const team = await newTeam()
  const body = { role: 'member', position: 'Founder' }
  expect((await team.call('PATCH', `/members/${team.admin.person_id}`, body)).status).toBe(409)
  expect(await team.read(team.admin.person_id)).toMatchObject({ role: 'admin', position: null })
})

test('MBR-G3: staff, former admins and admins elsewhere do not count as admins', async () => {
  const team = await newTeam()
  await world.join(team.brand_id, 'member', await world.newPerson(true))
  const former = await world.join(team.brand_id, 'admin')
  await world.sql(
    `update identity.memberships set status = 'removed', removed_at = now() where brand_id = $1 and person_id = $2`,
    [former.brand_id, former.person_id],
  )
  await world.join(await world.newBrand(), 'admin', team.member.person_id)
  expect((await team.call('PATCH', `/members/${team.admin.person_id}`, { role: 'member' })).status).toBe(409)
})

test('MBR-09: the only admin can be made an admin again', async () => {
  const team = await newTeam()
  expect(await team.call('PATCH', `/members/${team.admin.person_id}`, { role: 'admin' })).toEqual(success)
  expect((await team.read(team.admin.person_id)).role).toBe('admin')
})

test.for([
  { method: 'PATCH', path: '', body: { position: 'x' } },
  { method: 'GET', path: '', body: undefined },
  { method: 'DELETE', path: '', body: undefined },
  { method: 'POST', path: '/reset-password', body: undefined },
  { method: 'POST', path: '/set-password', body: { password: 'long enough' } },
])('MBR-10: $method members/{user_id}$path knows active members only', async ({ method, path, body }) => {
  const team = await newTeam()
  const former = await world.join(team.brand_id, 'member')
  await world.sql(
    `update identity.memberships set status = 'removed', removed_at = now() where brand_id = $1 and person_id = $2`,
    [former.brand_id, former.person_id],
  )
  const elsewhere = await world.join(await world.newBrand(), 'member')
  const guest = await world.newPerson()
  const invited = await world.newPerson()
  const [{ email } = { email: '' }] = await world.sql<{ email: string }>(
    'select email from identity.people where id = $1',
    [invited],
  )
  expect((await team.call('POST', '/invitations', { email })).status).toBe(201)
  const ids = [
    former.person_id,
    elsewhere.person_id,
    guest,
    invited,
    2_000_000_000,
    99_999_999_999,
    0,
    -1,
    'x',
  ]
  for (const id of ids)
    expect([id, await team.call(method, `/members/${id}${path}`, body)]).toEqual([id, notFound])
})

test('MBR-G4: what is wrong with the body is told before who is missing, and that before the last admin', async () => {
  const team = await newTeam()
  const nobody = '/members/2000000000'
  expect(await team.call('PATCH', nobody, {})).toEqual(noFields)
  expect(await team.call('PATCH', nobody, { role: 'boss' })).toEqual(wrongRole)
  expect((await team.call('PATCH', nobody, { position: 'x'.repeat(256) })).status).toBe(422)
  expect(await team.call('PATCH', nobody, { role: 'member' })).toEqual(notFound)
})

test('MBR-G5: a position has at most 255 characters, counted as people count them', async () => {
  const team = await newTeam()
  const path = `/members/${team.member.person_id}`
  expect(await team.call('PATCH', path, { position: '🦀'.repeat(255) })).toEqual(success)
  expect((await team.call('PATCH', path, { position: '🦀'.repeat(256) })).status).toBe(422)
  expect((await team.call('PATCH', path, { position: 7 })).status).toBe(422)
  expect((await team.read()).position).toBe('🦀'.repeat(255))
})

test('MBR-G5: an empty position is none', async () => {
  const team = await newTeam()
  const path = `/members/${team.member.person_id}`
  await team.call('PATCH', path, { position: 'Designer' })
  expect(await team.call('PATCH', path, { position: '' })).toEqual(success)
  expect((await team.read()).position).toBeNull()
})
