import { formOf } from '@crewhall/testkit/people.ts'
import { png } from '@crewhall/testkit/pictures/picture-png.ts'
import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Body, type Staffed, servicesRoot, useServices } from './services-world.ts'

// The person that an agent works as, once a module has opened it: no member, and in nobody's way.

const { adminKey, at, newTeam, emailOf, newAgent, issue, newStaffed, works } = useServices()

describe('a service', () => {
  let one: Staffed
  beforeAll(async () => {
    one = await newStaffed()
  })
  const notFound = { status: 404, body: { detail: 'Member not found' } }

  test('works with its token, as its agent and with the rights of a member', async () => {
    expect(await works(one.service)).toBe(200)
    const { body } = await at.call<Body>({ token: one.service }, 'GET', '/api/v1/me')
    expect(body).toMatchObject({ brand_id: one.brand_id, memberships: [] })
    const refused = await at.call({ token: one.service }, 'GET', `/api/v1/brands/${one.brand_id}/audit`)
    expect(refused.status).toBe(403)
  })

  test('is in no list, count or search of members', async () => {
    const all = (await one.call('GET', '/members')).body as { members: Body[]; total: number }
    expect(all.total).toBe(2)
    expect(all.members.map(({ user_id }) => user_id)).not.toContain(one.person_id)
    const email = await emailOf(one.person_id)
    expect(email).toMatch(/@service\.invalid$/)
    for (const q of ['bolt', 'service', email])
      expect((await one.call('GET', `/members?q=${encodeURIComponent(q)}`)).body).toMatchObject({ total: 0 })
  })

  test('cannot be read, changed, removed or given a password as a member', async () => {
    const path = `/members/${one.person_id}`
    expect(await one.call('GET', path)).toEqual(notFound)
    expect(await one.call('PATCH', path, { position: 'Builder' })).toEqual(notFound)
    expect(await one.call('PATCH', path, { role: 'admin' })).toEqual(notFound)
    expect(await one.call('DELETE', path)).toEqual(notFound)
    expect(await one.call('POST', `${path}/reset-password`)).toEqual(notFound)
    expect(
      await one.call('POST', `${path}/set-password`, {
        password: 'a fresh horse battery',
        send_email: false,
      }),
    ).toEqual(notFound)
    expect(await works(one.service)).toBe(200)
  })

  test('has no picture and gets none', async () => {
    const path = `/api/v1/brands/${one.brand_id}/members/${one.person_id}/photo`
    expect((await at.call({ token: one.token }, 'GET', path)).status).toBe(404)
    const form = () => formOf('file', png({ width: 2, height: 2 }))
    expect((await at.call({ token: one.token }, 'POST', path, form())).status).toBe(404)
    expect((await at.call({ token: one.token }, 'DELETE', path)).status).toBe(404)
  })

  test('does not count as an admin', async () => {
    const { person_id } = one.admin
    expect((await one.call('PATCH', `/members/${person_id}`, { role: 'member' })).status).toBe(409)
    expect((await one.call('DELETE', `/members/${person_id}`)).status).toBe(409)
  })

  test('is no guest, and cannot be made one by its address', async () => {
    const board = await at.made<Body>({ token: one.token }, 'POST', '/api/v1/board/boards', {
      name: 'Board',
      key: 'SRV',
    })
    const email = await emailOf(one.person_id)
    const shared = `/api/v1/board/boards/${board.id}/guests`
    const stranger = { email: 'nobody@service.invalid', role: 'viewer' }
    const added = await at.call({ token: one.token }, 'POST', shared, { email, role: 'viewer' })
    expect(added.status).toBe(404)
    expect(added).toEqual(await at.call({ token: one.token }, 'POST', shared, stranger))
    expect((await one.call('GET', '/guests')).body).toMatchObject({ guests: [] })
    for (const [method, path] of [
      ['POST', '/make-member'],
      ['DELETE', ''],
    ] as const)
      expect((await one.call(method, `/guests/${one.person_id}${path}`)).status).toBe(404)
  })

  test('has no mail address', async () => {
    const mine = await at.call({ token: one.service }, 'GET', '/api/v1/me/mail/address')
    expect(mine.status).toBe(404)
    const body = { name: 'bolt' }
    expect((await at.call({ token: one.service }, 'PUT', '/api/v1/me/mail/address', body)).status).toBe(404)
    for (const table of ['mailboxes.mailboxes', 'mailboxes.names'])
      expect(await at.sql(`select 1 from ${table} where person_id = $1`, [one.person_id])).toEqual([])
  })

  test('cannot sign in, ask for a password, confirm its address or have a session', async () => {
    const email = await emailOf(one.person_id)
    const tried = { email, password: 'a fresh horse battery' }
    expect((await at.call(null, 'POST', '/api/v1/auth/sign-in', tried)).status).toBe(401)
    await at.call(null, 'POST', '/api/v1/auth/password-reset', { email })
    const signUp = { ...tried, full_name: 'Bolt', brand_name: 'Mine' }
    expect((await at.call(null, 'POST', '/api/v1/auth/sign-up', signUp)).status).toBe(409)
    for (const table of ['passwords', 'password_resets', 'email_proofs', 'sessions', 'devices'])
      expect(await at.sql(`select 1 from identity.${table} where person_id = $1`, [one.person_id])).toEqual(
        [],
      )
    const refused = 'a service has no password and no session'
    await expect(at.newCookie(one.person_id, one.brand_id)).rejects.toThrow(refused)
    const password = `insert into identity.passwords (person_id, password_hash) values ($1, 'none')`
    await expect(at.sql(password, [one.person_id])).rejects.toThrow(refused)
  })

  test('is neither platform staff nor erased as a person', async () => {
    const by = { admin_key: adminKey }
    expect((await at.call(by, 'PUT', `/api/v1/admin/staff/${one.person_id}`)).status).toBe(404)
    expect((await at.call(by, 'POST', `/api/v1/admin/people/${one.person_id}/erasure`)).status).toBe(404)
    const staff = 'update identity.people set is_staff = true where id = $1'
    await expect(at.sql(staff, [one.person_id])).rejects.toThrow('people_service_plain')
  })

  test('gets nothing into an inbox, is mentioned and watches nowhere, and no card is assigned to it', async () => {
    const by = { token: one.service }
    const board = await at.made<Body>(by, 'POST', '/api/v1/board/boards', { name: 'Work', key: 'WRK' })
    const tasks = `/api/v1/board/boards/${board.id}/tasks`
    const card = await at.made<Body>(by, 'POST', tasks, { title: 'A card' })
    const assignee = { kind: 'member', id: String(one.person_id) }
    const path = `/api/v1/board/tasks/${card.id}`
    const assigned = await at.call({ token: one.token }, 'PATCH', path, { assignee })
    expect(assigned).toEqual({ status: 400, body: { detail: 'assignee: no such member of the workspace' } })
    await at.made(by, 'POST', `${path}/claim`, {})
    await at.made(by, 'PUT', `${path}/watchers/me`)
    const said = { body: `@member:${one.person_id} @member:${one.member.person_id}` }
    await at.made({ token: one.token }, 'POST', `${path}/comments`, said)
    await at.made({ token: one.token }, 'PATCH', path, { blocked_reason: 'Which of the two?' })
    const watchers = await at.made<{ items: Body[] }>({ token: one.token }, 'GET', `${path}/watchers`)
    expect(watchers.items.map(({ user_id }) => user_id)).not.toContain(one.person_id)
    const told = await at.sql<{ person_id: number }>(
      'select distinct person_id from inbox.entries where brand_id = $1',
      [one.brand_id],
    )
    expect(told.map(({ person_id }) => person_id)).toContain(one.member.person_id)
    expect(told.map(({ person_id }) => person_id)).not.toContain(one.person_id)
    expect((await at.call(by, 'GET', '/api/v1/me/inbox')).body).toMatchObject({ items: [], unread: 0 })
  })

  test('creates and rotates no tokens, and shows itself to admins, who can revoke it', async () => {
    const tokens = `/api/v1/brands/${one.brand_id}/tokens`
    const other = await issue(one, one.agent_id)
    const by = { token: String(other.body.token) }
    const detail = 'This token belongs to a service account, which cannot create or rotate tokens'
    const refused = { status: 403, body: { detail } }
    expect(await at.call(by, 'POST', tokens, { name: 'More', scopes: [] })).toEqual(refused)
    expect(await at.call(by, 'POST', `${tokens}/${other.body.id}/rotate`)).toEqual(refused)
    const cookie = await at.newCookie(one.admin.person_id, one.brand_id)
    const listed = await at.made<{ tokens: Body[] }>({ cookie }, 'GET', tokens)
    expect(listed.tokens.find(({ id }) => id === other.body.id)).toMatchObject({
      person: { id: one.person_id, name: 'Bolt Builder' },
      agent: 'Bolt Builder',
      agent_id: one.agent_id,
    })
    expect((await at.call({ cookie }, 'DELETE', `${tokens}/${other.body.id}`)).status).toBe(200)
    expect(await works(by.token)).toBe(401)
    expect(await works(one.service)).toBe(200)
  })
})

test('a service cannot join as a member, nor a member be made a service', async () => {
  const one = await newStaffed()
  const elsewhere = await at.newBrand()
  await at.join(elsewhere, 'member', one.person_id)
  const rows = () => at.sql('select 1 from identity.memberships where brand_id = $1', [elsewhere])
  expect(await rows()).toEqual([])
  const as = `update identity.memberships set status = $2 where person_id = $1`
  await expect(at.sql(as, [one.person_id, 'active'])).rejects.toThrow('memberships_agent_fits')
  await expect(at.sql(as, [one.member.person_id, 'service'])).rejects.toThrow('memberships_agent_fits')
})

describe('a service that several open at once is one, and nobody fails', () => {
  test.for([
    { side: 'the product', path: servicesRoot, isRight: true },
    { side: 'a naive twin', path: '/api/v1/probe/naive/services', isRight: false },
  ])('on the side of $side', { timeout: 120_000 }, async ({ path, isRight }) => {
    const { rounds, wrong, examples } = await race({
      rounds: roundsFor(100, 0.5),
      isTwin: !isRight,
      clients: 4,
      async setup() {
        const team = await newTeam()
        return { ...team, agent_id: await newAgent(team) }
      },
      act: ({ token, agent_id }) => at.call<Body>({ token }, 'PUT', `${path}/${agent_id}`),
      async verdict(_, outcomes) {
        const answers = outcomes.map((each) => (each.status === 'fulfilled' ? each.value : undefined)) as {
          status: number
          body: Body
        }[]
        const statuses = answers.map((each) => each?.status)
        if (statuses.some((status) => status !== 200)) return `answered ${statuses}`
        const people = new Set(answers.map(({ body }) => body.person_id))
        return people.size === 1 ? undefined : `${people.size} people`
      },
    })
    console.log(`${wrong} of ${rounds} rounds were wrong`)
    if (isRight) expect(examples).toEqual([])
    else expect(wrong).toBeGreaterThan(0)
  })
})
