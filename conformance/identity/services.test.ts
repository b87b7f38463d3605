import { createHash, randomBytes } from 'node:crypto'
import { McpCaller } from '@crewhall/testkit/mcp/mcp-caller.ts'
import { formOf } from '@crewhall/testkit/people.ts'
import { png } from '@crewhall/testkit/pictures/picture-png.ts'
import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { memberVerbs, type Team } from '../workspaces/members/member-verbs.ts'

// The person that an agent works as, once a module has opened it: no member, and in nobody's way.

const adminKey = randomBytes(24).toString('hex')
const server = useServer('probe', {
  ADMIN_KEY_DIGESTS: createHash('sha256').update(adminKey).digest('hex'),
  HTTP_RATE_LIMIT_PER_MINUTE: '0',
})
const at = new World(server)
let other: ServerProcess
beforeAll(async () => {
  other = await server.start('api')
})
const { newTeam, emailOf } = memberVerbs(at)
const root = '/api/v1/probe/services'

type Body = Record<string, unknown>
interface Staffed extends Team {
  readonly agent_id: string
  readonly person_id: number
  readonly service: string
  readonly token_id: string
}

async function newAgent({ token }: Team, agent_id = 'builder', name = 'Bolt Builder'): Promise<string> {
  await at.made({ token }, 'POST', '/api/v1/agents', { agent_id, name })
  return agent_id
}
const open = ({ token }: Team, agent_id: string) => at.call<Body>({ token }, 'PUT', `${root}/${agent_id}`)
const issue = ({ token }: Team, agent_id: string, scopes: readonly string[] = ['brand:read']) =>
  at.call<Body>({ token }, 'POST', `${root}/${agent_id}/tokens`, { name: 'Desk', scopes })
const close = ({ token }: Team, agent_id: string) => at.call<Body>({ token }, 'DELETE', `${root}/${agent_id}`)

async function newStaffed(): Promise<Staffed> {
  const team = await newTeam()
  const agent_id = await newAgent(team)
  const { body } = await open(team, agent_id)
  const issued = await issue(team, agent_id)
  expect(issued.status).toBe(201)
  return {
    ...team,
    agent_id,
    person_id: Number(body.person_id),
    service: String(issued.body.token),
    token_id: String(issued.body.id),
  }
}
/** What became of a token, by a verb of the door. */
const change = async ({ token, agent_id }: Staffed, token_id: string, verb: string, body?: object) =>
  (await at.made<Body>({ token }, 'POST', `${root}/${agent_id}/tokens/${token_id}/${verb}`, body)).done
const works = async (service: string): Promise<number> =>
  (await at.call({ token: service }, 'GET', '/api/v1/agents')).status

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

describe('the credential of an agent', () => {
  test('outlives whoever ordered it', async () => {
    const one = await newStaffed()
    const next = await at.join(one.brand_id, 'admin')
    const cookie = await at.newCookie(next.person_id, one.brand_id)
    const path = `/api/v1/brands/${one.brand_id}/members/${one.admin.person_id}`
    expect((await at.call({ cookie }, 'DELETE', path)).status).toBe(200)
    expect(await works(one.token)).toBe(401)
    expect(await works(one.service)).toBe(200)
  })

  test('AUTH-11 ends with the service on the next request, and what is opened again is the same person', async () => {
    const one = await newStaffed()
    for (const _ of [1, 2]) expect(await works(one.service)).toBe(200)
    expect((await close(one, one.agent_id)).status).toBe(200)
    expect(await works(one.service)).toBe(401)
    expect((await close(one, one.agent_id)).status).toBe(200)
    expect((await issue(one, one.agent_id)).body).toEqual({ detail: 'The agent has no service account' })
    expect((await open(one, one.agent_id)).body).toEqual({ person_id: one.person_id, is_new: true })
    expect((await open(one, one.agent_id)).body).toEqual({ person_id: one.person_id, is_new: false })
    expect(await works(one.service)).toBe(401)
    expect(await works(String((await issue(one, one.agent_id)).body.token))).toBe(200)
  })

  test('ends with its agent, whose name it follows until then', async () => {
    const one = await newStaffed()
    const path = `/api/v1/agents/${one.agent_id}`
    await at.made({ token: one.token }, 'PATCH', path, { name: 'Nut' })
    const names = await at.sql('select full_name from identity.people where id = $1', [one.person_id])
    expect(names).toEqual([{ full_name: 'Nut' }])
    await at.made({ token: one.token }, 'POST', `${path}/retire`)
    expect(await works(one.service)).toBe(401)
    const status = 'select status from identity.memberships where person_id = $1'
    expect(await at.sql(status, [one.person_id])).toEqual([{ status: 'removed' }])
    expect((await open(one, one.agent_id)).body).toEqual({ detail: 'The agent is retired' })
    expect((await issue(one, one.agent_id)).body).toEqual({ detail: 'The agent is retired' })
  })

  test('lasts a year, and is renewed without a new secret', async () => {
    const one = await newStaffed()
    await at.sql(`update identity.tokens set expires_at = now() + interval '1 minute' where id = $1`, [
      one.token_id,
    ])
    expect(await change(one, one.token_id, 'renew')).toBe(true)
    const [row] = await at.sql(
      `select expires_at > now() + interval '365 days' as lasts from identity.tokens where id = $1`,
      [one.token_id],
    )
    expect(row).toEqual({ lasts: true })
    expect(await works(one.service)).toBe(200)
  })

  test('AUTH-11 loses scopes on the next request, also in a process that knows it, and gets none', async () => {
    const one = await newStaffed()
    const { body } = await issue(one, one.agent_id, ['brand:read', 'memory:read'])
    const [id, token] = [String(body.id), String(body.token)]
    const read = (url: string) =>
      fetch(`${url}/api/v1/probe/auth/things`, { headers: { authorization: `Bearer ${token}` } })
    const processes = [server.api.url, other.url]
    for (const url of processes) expect((await read(url)).status).toBe(200)
    expect(await change(one, id, 'narrow', { scopes: ['brand:read', 'brand:admin'] })).toBe(true)
    for (const url of processes) expect((await read(url)).status).toBe(403)
    expect(await works(token)).toBe(200)
    const scopes = () => at.sql('select scopes from identity.tokens where id = $1', [id])
    expect(await scopes()).toEqual([{ scopes: ['brand:read'] }])
    expect(await change(one, id, 'narrow', { scopes: ['brand:read', 'memory:read'] })).toBe(true)
    expect(await scopes()).toEqual([{ scopes: ['brand:read'] }])
    const entries = await at.sql(
      `select old_value, new_value from platform.audit_entries where action = 'token.narrowed' and target = $1`,
      [`token:${id}`],
    )
    expect(entries).toEqual([
      { old_value: { scopes: ['brand:read', 'memory:read'] }, new_value: { scopes: ['brand:read'] } },
    ])
  })

  test('AUTH-11 ends on the next request when all but another are revoked, and is not revived', async () => {
    const one = await newStaffed()
    const kept = (await issue(one, one.agent_id)).body
    for (const token of [one.service, String(kept.token)]) expect(await works(token)).toBe(200)
    expect(await change(one, String(kept.id), 'keep')).toBe(true)
    expect(await works(one.service)).toBe(401)
    expect(await works(String(kept.token))).toBe(200)
    expect(await change(one, one.token_id, 'renew')).toBe(false)
    expect(await change(one, one.token_id, 'narrow', { scopes: [] })).toBe(false)
    expect(await works(one.service)).toBe(401)
    // Of a person, of another workspace, of a service that was closed.
    const [other, mine] = [await newStaffed(), await at.newToken(one.member, ['brand:read'])]
    const [own] = await at.sql<{ id: string }>(
      'select id from identity.tokens where brand_id = $1 and person_id = $2 and revoked_at is null',
      [one.brand_id, one.member.person_id],
    )
    for (const id of [own?.id ?? '', other.token_id]) {
      expect(await change(one, id, 'narrow', { scopes: [] })).toBe(false)
      expect(await change(one, id, 'renew')).toBe(false)
    }
    expect([await works(mine), await works(other.service)]).toEqual([200, 200])
    await close(one, one.agent_id)
    expect(await change(one, String(kept.id), 'renew')).toBe(false)
  })

  test('has no scope that the workspace does not allow, and loses those that it forbids later', async () => {
    const team = await newTeam()
    const agent_id = await newAgent(team)
    await open(team, agent_id)
    await at.sql(
      `update identity.brands set scope_ceiling = '{brand:read,memory:read,brand:admin}' where id = $1`,
      [team.brand_id],
    )
    expect(await issue(team, agent_id, ['memory:read', 'memory:write'])).toEqual({
      status: 403,
      body: { detail: 'The workspace policy does not allow scope memory:write' },
    })
    const { body } = await issue(team, agent_id, ['memory:read'])
    const read = () =>
      at.call(null, 'GET', '/api/v1/probe/auth/things', undefined, bearer(String(body.token)))
    expect((await read()).status).toBe(200)
    await at.sql(`update identity.brands set scope_ceiling = '{brand:read}' where id = $1`, [team.brand_id])
    expect((await read()).status).toBe(403)
  })

  test('is of no other agent and no other workspace', async () => {
    const [one, other] = [await newStaffed(), await newTeam()]
    const unknown = { status: 403, body: { detail: 'This agent does not belong to the workspace' } }
    for (const agent_id of [one.agent_id, 'nobody']) {
      expect(await open(other, agent_id)).toEqual(unknown)
      expect(await issue(other, agent_id)).toEqual(unknown)
      expect(await close(other, agent_id)).toEqual(unknown)
    }
    await newAgent(one, 'second', 'Second')
    await at.sql(`update identity.tokens set agent_id = 'second' where id = $1`, [one.token_id])
    expect(await works(one.service)).toBe(401)
    await at.sql('update identity.tokens set agent_id = null where id = $1', [one.token_id])
    expect(await works(one.service)).toBe(401)
  })

  test('opens the addresses for tools, that of its agent too, until it ends', async () => {
    const one = await newStaffed()
    const list = (path: string) =>
      new McpCaller(server.get, { token: one.service }, { path }).send<{ tools: Body[] }>('tools/list')
    for (const path of ['/mcp', '/mcp/readonly', `/mcp/agents/${one.agent_id}`]) {
      const { status, result } = await list(path)
      expect([path, status]).toEqual([path, 200])
      expect(result?.tools.map(({ name }) => name)).toContain('whoami')
    }
    await newAgent(one, 'second', 'Second')
    const [second, unknown] = [await list('/mcp/agents/second'), await list('/mcp/agents/nobody')]
    expect(second.status).toBeGreaterThanOrEqual(400)
    expect([second.status, second.error]).toEqual([unknown.status, unknown.error])
    await close(one, one.agent_id)
    expect((await list('/mcp')).status).toBe(401)
    expect((await list(`/mcp/agents/${one.agent_id}`)).status).toBe(401)
  })

  test('is audited without its secret', async () => {
    const one = await newStaffed()
    await close(one, one.agent_id)
    const entries = await at.sql<{ action: string; text: string }>(
      `select action, concat(target, old_value, new_value) as text from platform.audit_entries
       where brand_id = $1 and action ~ '^(service|token)' order by id`,
      [one.brand_id],
    )
    expect(entries.map(({ action }) => action)).toEqual([
      'service.opened',
      'token.issued',
      'token.revoked',
      'service.closed',
    ])
    expect(JSON.stringify(entries)).not.toContain(one.service.slice(4, 20))
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
    { side: 'the product', path: root, isRight: true },
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
