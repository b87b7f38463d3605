import { json, newEmail } from '@crewhall/testkit/people.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock, type VirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linkTo } from './invitation-links.ts'
import { memberVerbs, type Team } from './member-verbs.ts'

const server = useServer('product')
const world = new World(server)
const { newTeam, emailOf } = memberVerbs(world)
const day = 86_400_000

const refused = (status: number, detail: string) => ({ status, body: { detail } })
const pending = refused(400, 'An invitation is already pending for this email')
const notFound = refused(404, 'Invitation not found')
const dead = refused(400, 'This invitation is no longer valid')

interface Invited {
  readonly id: number
  readonly email: string
  readonly expires_at: string
  readonly created_at: string
}

const invite = async (team: Team, email: string, more: object = {}): Promise<Invited> => {
  const { status, body } = await team.call('POST', '/invitations', { email, ...more })
  expect(status).toBe(201)
  return body as Invited
}
const accept = async (body: object, cookie?: string) => {
  const response = await server.get('/api/v1/invitations/accept', json(body, cookie ? { cookie } : {}))
  return { status: response.status, body: await response.json() }
}
const account = { full_name: 'Bo Example', password: 'a new password' }
/** Somebody with an account, a session and no workspace. */
async function newVisitor() {
  const person_id = await world.newPerson()
  await world.sql(`insert into identity.passwords (person_id, password_hash) values ($1, 'none')`, [
    person_id,
  ])
  return { person_id, email: await emailOf(person_id), cookie: await world.newCookie(person_id, null) }
}

test('GST-12, GST-13, GST-G4: an invitation has a whole number for an id, is pending, and is good for 7 days', async () => {
  const team = await newTeam()
  const email = newEmail()
  const invited = await invite(team, email)
  expect(invited).toEqual({
    id: expect.any(Number),
    email,
    role: 'member',
    status: 'pending',
    delivery: 'queued',
    expires_at: expect.any(String),
    created_at: expect.any(String),
  })
  expect(Number.isInteger(invited.id)).toBe(true)
  expect(Date.parse(invited.expires_at) - Date.parse(invited.created_at)).toBe(7 * day)
})

test('GST-16: an address is invited once, whatever the case of its letters', async () => {
  const team = await newTeam()
  const email = newEmail()
  await invite(team, email)
  expect(await team.call('POST', '/invitations', { email: email.toUpperCase() })).toEqual(pending)
})

test('two workspaces invite the same address', async () => {
  const email = newEmail()
  await invite(await newTeam(), email)
  await invite(await newTeam(), email)
})

test('GST-15: a member cannot be invited', async () => {
  const team = await newTeam()
  const email = (await emailOf(team.member.person_id)).toUpperCase()
  const answer = await team.call('POST', '/invitations', { email })
  expect(answer).toEqual(refused(400, 'User is already a member of this brand'))
})

test.for([
  {},
  { email: 'nobody' },
  { email: 'a@b.test', role: 'owner' },
  { email: `${'x'.repeat(250)}@b.test` },
])('the body %j is refused with 422', async (body) => {
  expect((await (await newTeam()).call('POST', '/invitations', body)).status).toBe(422)
})

test('the list holds what is open, newest first, in pages', async () => {
  const team = await newTeam()
  const ids: number[] = []
  for (let count = 0; count < 3; count += 1) ids.unshift((await invite(team, newEmail())).id)
  await invite(await newTeam(), newEmail())
  await team.call('DELETE', `/invitations/${ids[1]}`)
  const page = async (query: string) => {
    const { body } = await team.call('GET', `/invitations${query}`)
    const { invitations, total } = body as { invitations: Invited[]; total: number }
    return { ids: invitations.map(({ id }) => id), total }
  }
  expect(await page('')).toEqual({ ids: [ids[0], ids[2]], total: 2 })
  expect(await page('?per_page=1&page=2')).toEqual({ ids: [ids[2]], total: 2 })
  expect((await team.call('GET', '/invitations?per_page=101')).status).toBe(422)
})

test('a revoked invitation is gone, its link is dead, and the address can be invited again', async () => {
  const team = await newTeam()
  const email = newEmail()
  const { id } = await invite(team, email)
  const token = await linkTo(world, id)
  expect(await team.call('DELETE', `/invitations/${id}`)).toEqual({ status: 200, body: { success: true } })
  expect(await team.call('DELETE', `/invitations/${id}`)).toEqual(notFound)
  expect(await team.call('POST', `/invitations/${id}/resend`)).toEqual(notFound)
  expect(await accept({ token, ...account })).toEqual(dead)
  await invite(team, email)
})

test('an invitation of another workspace is as unknown as one that never was', async () => {
  const { id } = await invite(await newTeam(), newEmail())
  const team = await newTeam()
  for (const unknown of [id, 2_000_000_000, 99_999_999_999, 'x']) {
    expect(await team.call('DELETE', `/invitations/${unknown}`)).toEqual(notFound)
    expect(await team.call('POST', `/invitations/${unknown}/resend`)).toEqual(notFound)
  }
})

describe('accepting', () => {
  test('somebody without an account makes one with the link, and signs in with it', async () => {
    const team = await newTeam()
    const email = newEmail()
    const { id } = await invite(team, email, { role: 'admin' })
    const answer = await accept({ token: await linkTo(world, id), ...account })
    const user_id = (answer.body as { user_id: number }).user_id
    expect(answer).toEqual({ status: 200, body: { brand_id: team.brand_id, user_id, role: 'admin' } })
    expect(await team.read(user_id)).toMatchObject({ name: 'Bo Example', email, role: 'admin' })
    const signedIn = await server.get('/api/v1/auth/sign-in', json({ email, password: account.password }))
    expect([signedIn.status, await signedIn.json()]).toMatchObject([200, { brand_id: team.brand_id }])
  })

  test.for([{}, { full_name: 'Bo' }, { password: 'a new password' }, { full_name: 'Bo', password: 'short' }])(
    'with %j nobody becomes a new account, and the link stays good',
    async (body) => {
      const team = await newTeam()
      const { id } = await invite(team, newEmail())
      const token = await linkTo(world, id)
      expect((await accept({ token, ...body })).status).toBe(422)
      expect((await accept({ token, ...account })).status).toBe(200)
    },
  )

  test('somebody with an account brings their session, and may not be replaced by a new password', async () => {
    const team = await newTeam()
    const visitor = await newVisitor()
    const { id } = await invite(team, visitor.email.toUpperCase())
    const token = await linkTo(world, id)
    expect(await accept({ token, ...account })).toEqual(refused(401, 'Sign in to accept this invitation'))
    const answer = await accept({ token }, visitor.cookie)
    expect(answer.body).toEqual({ brand_id: team.brand_id, user_id: visitor.person_id, role: 'member' })
    const rows = await world.sql('select password_hash from identity.passwords where person_id = $1', [
      visitor.person_id,
    ])
    expect(rows).toEqual([{ password_hash: 'none' }])
  })

  test('a person whom others know, but who has no password, gets one with the link', async () => {
    const team = await newTeam()
    const person_id = await world.newPerson()
    const email = await emailOf(person_id)
    const { id } = await invite(team, email)
    const answer = await accept({ token: await linkTo(world, id), ...account })
    expect(answer.body).toMatchObject({ user_id: person_id })
    const signedIn = await server.get('/api/v1/auth/sign-in', json({ email, password: account.password }))
    expect(signedIn.status).toBe(200)
  })

  test('nobody accepts with the session of another address', async () => {
    const team = await newTeam()
    const { id } = await invite(team, newEmail())
    const token = await linkTo(world, id)
    const { cookie } = await newVisitor()
    const answer = await accept({ token, ...account }, cookie)
    expect(answer).toEqual(refused(403, 'This invitation is for another e-mail address'))
    expect((await accept({ token, ...account })).status).toBe(200)
  })

  test('a link works once', async () => {
    const { id } = await invite(await newTeam(), newEmail())
    const token = await linkTo(world, id)
    expect((await accept({ token, ...account })).status).toBe(200)
    expect(await accept({ token, ...account })).toEqual(dead)
  })

  test('a link that was never made is as dead as a used one', async () => {
    expect(await accept({ token: 'x'.repeat(43), ...account })).toEqual(dead)
  })

  test('a former member is a member again, with the role of the invitation and without the old position', async () => {
    const team = await newTeam()
    const visitor = await newVisitor()
    await world.join(team.brand_id, 'admin', visitor.person_id)
    const path = `/members/${visitor.person_id}`
    await team.call('PATCH', path, { position: 'Founder' })
    expect((await team.call('DELETE', path)).status).toBe(200)
    const { id } = await invite(team, visitor.email)
    const token = await linkTo(world, id)
    expect((await accept({ token }, visitor.cookie)).status).toBe(200)
    expect(await team.read(visitor.person_id)).toMatchObject({ role: 'member', position: null })
  })

  test('GST-G5: whoever accepts is no guest any more, and only in this workspace', async () => {
    const [team, other] = [await newTeam(), await newTeam()]
    const visitor = await newVisitor()
    for (const { token } of [team, other]) {
      const space = await world.call({ token }, 'POST', '/api/v1/docs/spaces', { name: 'Plans' })
      const path = `/api/v1/docs/spaces/${(space.body as { id: string }).id}/guests`
      expect(
        (await world.call({ token }, 'POST', path, { email: visitor.email, role: 'viewer' })).status,
      ).toBe(201)
    }
    const guests = async (of: Team) => ((await of.call('GET', '/guests')).body as { total: number }).total
    const invited = await team.call('POST', `/guests/${visitor.person_id}/make-member`)
    expect([invited.status, await guests(team)]).toEqual([201, 1])
    const token = await linkTo(world, (invited.body as Invited).id)
    expect((await accept({ token }, visitor.cookie)).body).toMatchObject({ role: 'member' })
    expect([await guests(team), await guests(other)]).toEqual([0, 1])
    expect(await team.read(visitor.person_id)).toMatchObject({ role: 'member' })
  })
})

describe('after days', () => {
  let clock: VirtualClock
  beforeAll(() => {
    clock = createVirtualClock(server.database.name)
  })
  afterAll(() => clock?.close())

  test('GST-G3, GST-G4: after 7 days a link is dead, the invitation is told as expired, and blocks nothing', async () => {
    const team = await newTeam()
    const email = newEmail()
    const { id } = await invite(team, email)
    const token = await linkTo(world, id)
    await clock.advance(7 * day)
    expect(await accept({ token, ...account })).toEqual(dead)
    const list = (await team.call('GET', '/invitations')).body as { invitations: object[] }
    expect(list.invitations).toMatchObject([{ id, status: 'expired' }])
    const again = await invite(team, email)
    expect(again.id).not.toBe(id)
    expect((await team.call('GET', '/invitations')).body).toMatchObject({ total: 1 })
  })

  test('an expired invitation that is sent again is good for another 7 days', async () => {
    const team = await newTeam()
    const { id } = await invite(team, newEmail())
    await clock.advance(8 * day)
    const resent = await team.call('POST', `/invitations/${id}/resend`)
    expect(resent).toMatchObject({ status: 200, body: { id, status: 'pending', delivery: 'queued' } })
    const token = await linkTo(world, id)
    await clock.advance(7 * day - 60_000)
    expect((await accept({ token, ...account })).status).toBe(200)
  })
})
