import { cookieOf, json, newEmail } from '@crewhall/testkit/people.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { expect, test } from 'vitest'
import { linkTo } from '../workspaces/members/invitation-links.ts'
import { memberVerbs } from '../workspaces/members/member-verbs.ts'

const server = useSharedServer('product')
const world = new World(server)
const { newTeam } = memberVerbs(world)
const password = 'correct horse battery'

async function answersOf(environment: Record<string, string>) {
  const api = await server.start('api', environment)
  const post = async (path: string, body: unknown) => fetch(`${api.url}/api/v1${path}`, json(body))
  const signUp = async (email: string) =>
    (await post('/auth/sign-up', { email, password, full_name: 'Ann', brand_name: 'Own' })).status
  const team = await newTeam()
  const invited = await team.call('POST', '/invitations', { email: newEmail() })
  const token = await linkTo(world, (invited.body as { id: number }).id)
  const accept = async () => (await post('/invitations/accept', { token, full_name: 'Bob', password })).status
  return { signUp, accept }
}

test.for([
  { environment: { SIGN_UP: 'open' }, statuses: [201, 201, 200] },
  { environment: { SIGN_UP: 'invite' }, statuses: [403, 403, 200] },
  { environment: { SIGN_UP: 'off' }, statuses: [403, 403, 403] },
  { environment: { SIGN_UP_MAIL_DOMAINS: 'allowed.test, other.test' }, statuses: [201, 403, 200] },
])('S1: with $environment sign-up and invitations answer $statuses', async ({ environment, statuses }) => {
  const { signUp, accept } = await answersOf(environment)
  const allowed = newEmail().replace(/@.*/, '@allowed.test')
  const people = 'select count(*)::int as count from identity.people where email = $1'
  const other = newEmail()
  expect([await signUp(allowed), await signUp(other), await accept()]).toEqual(statuses)
  const [row] = await world.sql<{ count: number }>(people, [other])
  expect(row?.count).toBe(statuses[1] === 201 ? 1 : 0)
})

test('S1: the operator gives no workspace to an address that nobody has proven', async () => {
  const email = newEmail()
  const body = { email, password, full_name: 'Ann', brand_name: 'Own' }
  const signedUp = await server.get('/api/v1/auth/sign-up', json(body))
  const staff = await world.newCookie(await world.newPerson(true), null)
  const create = async () => {
    const order = json({ name: 'For the client', plan_key: 'team', admin_email: email }, { cookie: staff })
    const response = await server.get('/api/v1/admin/brands', order)
    return [response.status, (await response.json()) as object]
  }
  expect(await create()).toEqual([
    409,
    { detail: 'The owner of this e-mail address has not confirmed it yet' },
  ])
  const made = await world.sql(`select 1 from identity.brands where name = 'For the client'`)
  expect(made).toEqual([])
  await world.sql('update identity.people set email_verified = true where email = $1', [email])
  expect((await create())[0]).toBe(201)
  expect(cookieOf(signedUp)).not.toBe('')
})
