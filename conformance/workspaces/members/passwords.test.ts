import { json } from '@crewhall/testkit/people.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { beforeAll, expect, test } from 'vitest'
import { listLetters, newMailAddress, secretIn } from './letters.ts'
import { memberVerbs, type Team } from './member-verbs.ts'

const server = useServer('product', { PUBLIC_URL: 'https://crewhall.test' })
const world = new World(server)
const { newTeam, givePassword } = memberVerbs(world)
const get = (path: string, init?: RequestInit) => server.get(path, init)

beforeAll(async () => {
  await server.start('worker', { PUBLIC_URL: 'https://crewhall.test' })
})

const password = 'a password of some length'
const refused = (status: number, detail: string) => ({ status, body: { detail } })
const resetInstead = refused(409, "Send a reset link instead of setting this person's password.")

/** A team whose member reads mail and has an account. */
async function newReachableTeam(): Promise<Team & { email: string }> {
  const team = await newTeam()
  const email = newMailAddress()
  await world.sql('update identity.people set email = $2 where id = $1', [team.member.person_id, email])
  await givePassword(team.member.person_id)
  return { ...team, email }
}

const signIn = async (email: string, given: string) =>
  (await get('/api/v1/auth/sign-in', json({ email, password: given }))).status
const reset = (team: Team) => team.call('POST', `/members/${team.member.person_id}/reset-password`)
const set = (team: Team, body: unknown = { password }, user_id = team.member.person_id) =>
  team.call('POST', `/members/${user_id}/set-password`, body)
const confirm = async (token: string, given = password) =>
  (await get('/api/v1/auth/password-reset/confirm', json({ token, password: given }))).status
const lettersOf = (email: string, count: number) =>
  waitFor(async () => {
    const letters = await listLetters(email)
    return letters.length >= count && letters
  }, 20_000)

test('MBR-19, MBR-20, MBR-G17: a reset link goes to the member and not into the answer, and sets a password that signs in', async () => {
  const team = await newReachableTeam()
  const answer = await reset(team)
  expect(answer).toEqual({ status: 200, body: { success: true, message: expect.any(String) } })
  const [letter] = await lettersOf(team.email, 1)
  const secret = letter ? secretIn(letter) : ''
  expect(letter?.text).toContain(`https://crewhall.test/dashboard/reset?token=${secret}`)
  expect(JSON.stringify(answer)).not.toContain(secret)
  expect(await confirm(secret)).toBe(200)
  expect(await signIn(team.email, password)).toBe(200)
})

test('MBR-20: the letter has both forms, and a name in it is only a name', async () => {
  const team = await newReachableTeam()
  await world.sql('update identity.people set full_name = $2 where id = $1', [
    team.member.person_id,
    '<i>Ann</i>\nBcc: you',
  ])
  await reset(team)
  const [letter] = await lettersOf(team.email, 1)
  expect(letter?.text).toContain('Hello <i>Ann</i> Bcc: you,\n')
  expect(letter?.html).toContain('>Hello &#60;i&#62;Ann&#60;/i&#62; Bcc: you,</p>')
})

test('MBR-G12: a link works once', async () => {
  const team = await newReachableTeam()
  await reset(team)
  const [letter] = await lettersOf(team.email, 1)
  const secret = letter ? secretIn(letter) : ''
  expect([await confirm(secret), await confirm(secret)]).toEqual([200, 400])
})

test('MBR-G12: a newer link makes the older one void', async () => {
  const team = await newReachableTeam()
  await reset(team)
  await lettersOf(team.email, 1)
  await reset(team)
  const secrets = (await lettersOf(team.email, 2)).map(secretIn)
  expect(new Set(secrets).size).toBe(2)
  const outcomes = await Promise.all(secrets.map((secret) => confirm(secret)))
  expect(outcomes.sort()).toEqual([200, 400])
})

test('MBR-22: a password that was set signs in, and the old one does not', async () => {
  const email = newMailAddress()
  const old = 'the password of before'
  const signUp = { email, password: old, full_name: 'Ann', brand_name: 'Own' }
  const response = await get('/api/v1/auth/sign-up', json(signUp))
  const { person, brand_id } = (await response.json()) as { person: { id: number }; brand_id: number }
  const boss = await world.join(brand_id, 'admin')
  await world.sql(`update identity.brands set scope_ceiling = '{brand:admin}' where id = $1`, [brand_id])
  const token = await world.newToken(boss, ['brand:admin'])
  const path = `/api/v1/brands/${brand_id}/members/${person.id}/set-password`
  const answer = await world.call({ token }, 'POST', path, { password })
  expect(answer).toEqual({ status: 200, body: { success: true, message: expect.any(String) } })
  expect([await signIn(email, old), await signIn(email, password)]).toEqual([401, 200])
})

test.for([
  { given: '', status: 422 },
  { given: '1234567', status: 422 },
  { given: '12345678', status: 200 },
  { given: '        ', status: 200 },
  { given: '🦀'.repeat(7), status: 422 },
  { given: '🦀'.repeat(8), status: 200 },
])('MBR-23: the password $given is answered with $status', async ({ given, status }) => {
  expect((await set(await newReachableTeam(), { password: given })).status).toBe(status)
})

test('MBR-23: the refusal of a short password does not repeat it', async () => {
  const { status, body } = await set(await newReachableTeam(), { password: 'hunter2' })
  expect(status).toBe(422)
  expect(JSON.stringify(body)).not.toContain('hunter2')
})

test.for([{}, { password: null }, { password: 12_345_678 }, { password, send_email: 'yes' }])(
  'MBR-23: the body %j is refused with 422',
  async (body) => {
    expect((await set(await newReachableTeam(), body)).status).toBe(422)
  },
)

test('MBR-24, MBR-25: a notice goes out only when it was asked for, and never holds the password', async () => {
  const team = await newReachableTeam()
  await set(team, { password: 'the first new password' })
  await set(team, { password: 'the second new password', send_email: false })
  await set(team, { password: 'the third new password', send_email: true })
  const letters = await lettersOf(team.email, 1)
  expect(letters.map(({ subject }) => subject)).toEqual(['Your password was changed'])
  expect(JSON.stringify(letters)).not.toContain('third new password')
  const [jobs] = await world.sql<{ count: number }>(
    `select count(*)::int as count from pgboss.job where name = 'workspaces.send-password-notice'
     and (data->'payload'->>'person_id')::int = $1`,
    [team.member.person_id],
  )
  expect(jobs?.count).toBe(1)
})

test('MBR-26: the password of somebody who is also in another workspace cannot be set', async () => {
  const team = await newReachableTeam()
  await world.join(await world.newBrand(), 'member', team.member.person_id)
  expect(await set(team)).toEqual(resetInstead)
})

test('MBR-26: a membership elsewhere that has ended does not count', async () => {
  const team = await newReachableTeam()
  const elsewhere = await world.join(await world.newBrand(), 'member', team.member.person_id)
  await world.sql(
    `update identity.memberships set status = 'removed', removed_at = now() where brand_id = $1 and person_id = $2`,
    [elsewhere.brand_id, elsewhere.person_id],
  )
  expect((await set(team)).status).toBe(200)
})

// The address of a service is nobody's, so it is never verified.
test.for(['is_staff = true', `kind = 'service', email_verified = false`])(
  'MBR-27: the password of an account with %s cannot be set',
  async (fact) => {
    const team = await newReachableTeam()
    await world.sql(`update identity.people set ${fact} where id = $1`, [team.member.person_id])
    expect(await set(team)).toEqual(resetInstead)
  },
)

test('MBR-28: somebody without a password has no auth account', async () => {
  const team = await newTeam()
  expect(await set(team)).toEqual(refused(400, 'User has no auth account'))
  const rows = await world.sql('select 1 from identity.passwords where person_id = $1', [
    team.member.person_id,
  ])
  expect(rows).toEqual([])
})

test('MBR-G13: 422 comes before 404, 404 before 409, and 409 before 400', async () => {
  const team = await newTeam()
  const short = { password: 'short' }
  expect((await set(team, short, 2_000_000_000)).status).toBe(422)
  const elsewhere = await world.join(await world.newBrand(), 'member', await world.newPerson(true))
  expect((await set(team, { password }, elsewhere.person_id)).status).toBe(404)
  const staff = await world.join(team.brand_id, 'member', await world.newPerson(true))
  expect(await set(team, { password }, staff.person_id)).toEqual(resetInstead)
})

test('MBR-G16: sessions end with the next request and tokens live on', async () => {
  const team = await newReachableTeam()
  const cookie = await world.newCookie(team.member.person_id, team.brand_id)
  const elsewhere = await world.newCookie(team.member.person_id, await world.newBrand())
  const token = await world.newToken(team.member, ['brand:read'])
  const status = async (credential: { cookie: string } | { token: string }) =>
    (await world.call(credential, 'GET', '/api/v1/me')).status
  const before = [await status({ cookie }), await status({ cookie: elsewhere }), await status({ token })]
  expect(before).toEqual([200, 200, 200])
  const path = `/api/v1/brands/${team.brand_id}/members`
  expect((await world.call({ cookie }, 'GET', path)).status).toBe(200)
  expect((await set(team)).status).toBe(200)
  expect((await world.call({ cookie }, 'GET', path)).status).toBe(401)
  const after = [await status({ cookie }), await status({ cookie: elsewhere }), await status({ token })]
  expect(after).toEqual([401, 401, 200])
})

test('a link that was under way is void once the password was set', async () => {
  const team = await newReachableTeam()
  await reset(team)
  const [letter] = await lettersOf(team.email, 1)
  expect((await set(team)).status).toBe(200)
  expect(await confirm(letter ? secretIn(letter) : '')).toBe(400)
})
