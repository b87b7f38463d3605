import { useServer } from '@crewhall/testkit/test-server.ts'
import { expect, test } from 'vitest'
import { type Erased, erasureEnv, operator, type Person, password, useErasureWorld } from './erasure-world.ts'

const server = useServer('product', erasureEnv)
const world = useErasureWorld(server)

const ask = (person: Person, given = password) =>
  world.call<{ erasure: Erased; detail?: string }>(person, 'POST', '/me/erasure', { password: given })
const shown = async (person: Person) =>
  (await world.call<{ erasure: Erased | null }>(person, 'GET', '/me/erasure')).body.erasure

test('K12: a person asks with their password, sees when it is due, and may call it off', async () => {
  const ann = await world.signUp('Ann')
  expect(await shown(ann)).toBeNull()
  expect(await ask(ann, 'not the password')).toEqual({
    status: 403,
    body: { detail: 'Wrong password' },
  })
  expect(await shown(ann)).toBeNull()
  const first = await ask(ann)
  expect(first).toMatchObject({ status: 202, body: { erasure: { status: 'scheduled', waits_for: [] } } })
  expect(Math.round((Date.parse(first.body.erasure.due_at) - Date.now()) / 86_400_000)).toBe(7)
  expect((await ask(ann)).body).toEqual(first.body)
  expect(await shown(ann)).toEqual(first.body.erasure)
  expect(await world.call(ann, 'DELETE', '/me/erasure')).toEqual({ status: 200, body: { erasure: null } })
  expect(await shown(ann)).toBeNull()
  expect((await world.call(ann, 'DELETE', '/me/erasure')).status).toBe(200)
})

test('K12: a token cannot ask for the erasure of its person', async () => {
  const ann = await world.signUp('Ann')
  const { token } = await world.made(ann, 'POST', `/brands/${ann.home}/tokens`, {
    name: 'T',
    scopes: ['brand:read'],
  })
  const by = { token: String(token) }
  expect((await world.call(by, 'POST', '/me/erasure', { password })).status).toBe(401)
  expect((await world.call(by, 'POST', `/brands/${ann.home}/erasure`, { name: 'A workspace' })).status).toBe(
    401,
  )
})

test('K12: the only admin of a workspace with other members is refused, with its name', async () => {
  const owner = await world.signUp('Owner', 'Crew of many')
  const member = await world.signUp('Member')
  await world.join(owner, member)
  const refused = {
    status: 409,
    body: {
      detail:
        'The only admin of a workspace with other members cannot be erased; make someone else an admin of Crew of many first',
    },
  }
  expect(await ask(owner)).toEqual(refused)
  expect(await world.call(operator, 'POST', `/admin/people/${owner.id}/erasure`)).toEqual(refused)
  expect(await world.erasureOf(`people/${owner.id}`)).toBeNull()
  await world.made(owner, 'PATCH', `/brands/${owner.home}/members/${member.id}`, { role: 'admin' })
  expect((await ask(owner)).status).toBe(202)
})

test('K12: whoever became the only admin meanwhile is not erased until there is another', async () => {
  const owner = await world.signUp('Owner')
  const member = await world.signUp('Member')
  await world.join(owner, member, 'admin')
  expect((await ask(owner)).status).toBe(202)
  await world.made(member, 'PATCH', `/brands/${owner.home}/members/${member.id}`, { role: 'member' })
  expect(await shown(owner)).toMatchObject({ status: 'scheduled', waits_for: [owner.home] })
  await world.admin.query('update identity.person_erasures set due_at = now()')
  const worker = await server.start('worker')
  const tick = () =>
    world.admin.query(`update jobs.schedules set next_at = now() where name = 'identity.start-erasures'`)
  await tick()
  const other = await world.signUp('Other')
  await world.call(operator, 'POST', `/admin/people/${other.id}/erasure`)
  await world.done(`people/${other.id}`)
  expect(await shown(owner)).toMatchObject({ status: 'scheduled', waits_for: [owner.home] })
  await world.made(owner, 'PATCH', `/brands/${owner.home}/members/${member.id}`, { role: 'admin' })
  await tick()
  await world.done(`people/${owner.id}`)
  const { body } = await world.call<{ members: { user_id: number }[] }>(
    ...([member, 'GET', `/brands/${owner.home}/members`] as const),
  )
  expect(body.members.map(({ user_id }) => user_id)).toEqual([member.id])
  await worker.stop()
})

test('K12: an erasure that is done can be asked for again and called off no more', async () => {
  const ann = await world.signUp('Ann')
  const path = `/admin/people/${ann.id}/erasure`
  await world.call(operator, 'POST', path)
  const worker = await server.start('worker')
  const { finished_at } = await world.done(`people/${ann.id}`)
  await worker.stop()
  expect(await world.call(operator, 'POST', path)).toMatchObject({
    status: 202,
    body: { erasure: { status: 'done', finished_at } },
  })
  expect(await world.call(operator, 'DELETE', path)).toEqual({
    status: 409,
    body: { detail: 'The erasure has started and cannot be canceled' },
  })
  expect((await world.call(operator, 'POST', '/admin/people/2000000000/erasure')).status).toBe(404)
  expect((await world.call(await world.signUp('No staff'), 'POST', path)).status).toBe(403)
})

test('K12: the role of the product can take nobody out of the audit who is not erased', async () => {
  const ann = await world.signUp('Ann')
  await world.made(ann, 'POST', `/brands/${ann.home}/tokens`, { name: 'T', scopes: ['brand:read'] })
  await server.sql(`select platform.redact_audit_of_person($1, '{}', 0, '-infinity', 0, 1000)`, [ann.id])
  await server.sql(`select platform.redact_audit_of_brand($1, '-infinity', 0, 1000)`, [ann.home])
  await expect(server.sql('update platform.audit_entries set actor_name = null')).rejects.toThrow(
    'permission denied',
  )
  const { rows } = await world.admin.query<{ actor_name: string; new_value: unknown }>(
    `select actor_name, new_value from platform.audit_entries where brand_id = $1 and action = 'token.issued'`,
    [ann.home],
  )
  expect(rows).toMatchObject([{ actor_name: 'Ann', new_value: { name: 'T' } }])
})
