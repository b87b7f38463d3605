import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { memberVerbs, type Team } from '../workspaces/members/member-verbs.ts'

interface Agent {
  agent_id: string
  name: string
  origin: string
  status: string
  created_by: number | null
  retired_at: string | null
}
interface Page {
  items: Agent[]
  next_cursor: string | null
}
interface Token {
  id: string
  token: string
  agent: string | null
  agent_id: string | null
}
interface Entry {
  action: string
  target: string
  actor: Record<string, unknown>
}

const server = useSharedServer('product')
const world = new World(server)
const { newTeam } = memberVerbs(world)

let team: Team
let foreign: Team
const agents = '/api/v1/agents'
const by = (token = team.token) => ({ token })
const call = <Body = unknown>(method: string, path: string, body?: unknown, token = team.token) =>
  world.call<Body>(by(token), method, path, body)
const create = (agent_id: string, name = `Agent ${agent_id}`, of = team) =>
  world.made<Agent>(by(of.token), 'POST', agents, { agent_id, name })
const issue = (body: object, token = team.token) =>
  call<Token>('POST', `/api/v1/brands/${team.brand_id}/tokens`, { name: 'test', scopes: [], ...body }, token)
const me = (token: string) => call<Record<string, unknown>>('GET', '/api/v1/me', undefined, token)
const entries = async (of = team) =>
  (await world.made<{ items: Entry[] }>(by(of.token), 'GET', `/api/v1/brands/${of.brand_id}/audit?limit=100`))
    .items

beforeAll(async () => {
  team = await newTeam()
  foreign = await newTeam()
  await create('theirs', 'Theirs', foreign)
  // Stays in the shared database: no other test asks for this id.
  const admin = await server.connection('superuser')
  await admin.query(
    `insert into identity.platform_agents (agent_id, name) values ('conformance-platform-agent', 'P')
     on conflict do nothing`,
  )
})

describe('an agent', () => {
  test('is created, read and listed as it is', async () => {
    const made = await create('first-bot', 'First bot')
    const created_by = team.admin.person_id
    expect(made).toMatchObject({
      agent_id: 'first-bot',
      name: 'First bot',
      origin: 'created',
      status: 'active',
    })
    expect(made).toMatchObject({ created_by, retired_at: null })
    expect(await call('GET', `${agents}/first-bot`)).toMatchObject({ status: 200, body: made })
    const { body } = await call<Page>('GET', agents)
    expect(body.items).toContainEqual(made)
  })

  test('has the id that another workspace uses as well, and neither notices', async () => {
    await create('shared-id', 'Ours')
    await create('shared-id', 'Theirs', foreign)
    expect((await call<Agent>('GET', `${agents}/shared-id`)).body.name).toBe('Ours')
  })

  test.each(['a', 'A_b-9', '-', 'x'.repeat(255)])('MEMO-03 may be called %j', async (agent_id) => {
    expect(await call('POST', agents, { agent_id, name: 'N' })).toMatchObject({ status: 201 })
    expect(await call('GET', `${agents}/${agent_id}`)).toMatchObject({ status: 200, body: { agent_id } })
  })

  test.each(['', 'x'.repeat(256), 'a b', 'a.b', 'ä', '٣', 'a\n', 'a/b', null, 7])(
    'MEMO-03 may not be called %j',
    async (agent_id) => {
      expect((await call('POST', agents, { agent_id, name: 'N' })).status).toBe(422)
    },
  )

  test.each(['', '  ', 'x'.repeat(101), 'two\nlines', null])('has no name such as %j', async (name) => {
    expect((await call('POST', agents, { agent_id: 'named', name })).status).toBe(422)
  })

  test('cannot take an id of its workspace or of the platform, and both are refused alike', async () => {
    await create('taken')
    const own = await call('POST', agents, { agent_id: 'taken', name: 'N' })
    const platform = await call('POST', agents, { agent_id: 'conformance-platform-agent', name: 'N' })
    expect(own).toMatchObject({ status: 409, body: { detail: 'This agent id cannot be used' } })
    expect(platform).toEqual(own)
  })

  test('is not found under an id of nobody, of another workspace or of the platform, in the same bytes', async () => {
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { name: 'N' }],
      ['POST', '/retire', undefined],
    ] as const) {
      const refused: unknown[] = []
      for (const id of ['nobody', 'theirs', 'conformance-platform-agent'])
        refused.push(await call(method, `${agents}/${id}${path}`, body))
      expect(refused[0]).toMatchObject({ status: 404, body: { detail: 'Agent not found' } })
      expect(refused).toEqual(refused.map(() => refused[0]))
    }
  })

  test('is renamed, and a change that changes nothing leaves no trace', async () => {
    await create('to-rename', 'Old')
    for (const name of ['New', 'New'])
      expect(await call('PATCH', `${agents}/to-rename`, { name })).toMatchObject({
        status: 200,
        body: { name },
      })
    const renamed = (await entries()).filter(({ action }) => action === 'agent.renamed')
    expect(renamed).toMatchObject([{ target: 'agent:to-rename', from: { name: 'Old' }, to: { name: 'New' } }])
  })

  test('is read by members, and changed by admins with brand:admin only', async () => {
    await create('guarded')
    const tokens = {
      member: await world.newToken(team.member, ['brand:read', 'brand:admin']),
      reader: await world.newToken(team.admin, ['brand:read']),
      blind: await world.newToken(team.admin, []),
    }
    const statuses = async (token: string) => [
      (await call('GET', `${agents}/guarded`, undefined, token)).status,
      (await call('GET', agents, undefined, token)).status,
      (await call('POST', agents, { agent_id: 'never', name: 'N' }, token)).status,
      (await call('PATCH', `${agents}/guarded`, { name: 'N' }, token)).status,
      (await call('POST', `${agents}/guarded/retire`, undefined, token)).status,
    ]
    expect(await statuses(tokens.member)).toEqual([200, 200, 403, 403, 403])
    expect(await statuses(tokens.reader)).toEqual([200, 200, 403, 403, 403])
    expect(await statuses(tokens.blind)).toEqual([403, 403, 403, 403, 403])
  })
})

test('a list is read in pages by id, whole or by status, and its cursors fit no other list', async () => {
  const own = await newTeam()
  const ids = ['a1', 'a2', 'a3', 'a4', `z${'z'.repeat(254)}`]
  for (const id of ids) await create(id, 'N', own)
  await world.made(by(own.token), 'POST', `${agents}/a2/retire`)
  const page = (query: string) => call<Page>('GET', `${agents}?${query}`, undefined, own.token)
  const walk = async (query: string) => {
    const seen: string[] = []
    let cursor: string | null | undefined
    do {
      const { body } = await page(`limit=1${query}${cursor ? `&cursor=${cursor}` : ''}`)
      seen.push(...body.items.map(({ agent_id }) => agent_id))
      cursor = body.next_cursor
    } while (cursor)
    return seen
  }
  expect(await walk('')).toEqual(ids)
  expect(await walk('&status=active')).toEqual(ids.filter((id) => id !== 'a2'))
  expect(await walk('&status=retired')).toEqual(['a2'])
  const { body } = await page('limit=1')
  for (const query of [
    `cursor=${body.next_cursor}&status=active`,
    'cursor=a1',
    'limit=0',
    'limit=101',
    'status=x',
  ])
    expect((await page(query)).status).toBe(422)
  expect((await call('GET', `${agents}?cursor=${body.next_cursor}`)).status).toBe(422)
})

describe('a token', () => {
  test('that belongs to an agent says so in lists, to its caller, in the audit and on boards', async () => {
    await create('worker', 'Worker')
    const { status, body } = await issue({ agent_id: 'worker', scopes: ['brand:read'] })
    expect([status, body]).toMatchObject([201, { agent: 'Worker', agent_id: 'worker' }])
    expect((await me(body.token)).body).toMatchObject({ agent: 'Worker', agent_id: 'worker' })
    const issued = (await entries()).find(({ target }) => target === `token:${body.id}`)
    expect(issued).toMatchObject({ to: { agent: 'Worker', agent_id: 'worker' } })
    expect(issued?.actor).not.toHaveProperty('agent_id')
    const made = await call<{ id: string }>(
      'POST',
      '/api/v1/board/boards',
      { name: 'B', key: 'BOUND' },
      body.token,
    )
    const feed = await call<{ items: { actor: object }[] }>(
      'GET',
      `/api/v1/board/activity/boards/${made.body.id}`,
    )
    expect(feed.body.items[0]?.actor).toMatchObject({
      kind: 'agent',
      id: body.id,
      name: 'Worker',
      agent_id: 'worker',
      on_behalf_of: { id: String(team.admin.person_id) },
    })
    // What it does with tokens is told of it as well.
    const next = await issue({}, body.token)
    expect(next.body).toMatchObject({ agent: 'Worker', agent_id: 'worker' })
    const audited = (await entries()).find(({ target }) => target === `token:${next.body.id}`)
    expect(audited?.actor).toMatchObject({ agent: 'Worker', agent_id: 'worker' })
  })

  test('of another kind has no agent_id anywhere', async () => {
    const { body } = await issue({ agent: 'just a name' })
    expect(body).toMatchObject({ agent: 'just a name', agent_id: null })
    expect((await me(body.token)).body).not.toHaveProperty('agent_id')
    const made = await call<{ id: string }>(
      'POST',
      '/api/v1/board/boards',
      { name: 'B', key: 'NAMED' },
      body.token,
    )
    const feed = await call<{ items: { actor: object }[] }>(
      'GET',
      `/api/v1/board/activity/boards/${made.body.id}`,
    )
    expect(Object.keys(feed.body.items[0]?.actor ?? {})).toEqual(['kind', 'id', 'name', 'on_behalf_of'])
  })

  test('carries the new name of its agent from the next request on', async () => {
    await create('renamed-worker', 'Before')
    const { body } = await issue({ agent_id: 'renamed-worker', scopes: ['brand:read'] })
    expect((await call('GET', agents, undefined, body.token)).status).toBe(200)
    await call('PATCH', `${agents}/renamed-worker`, { name: 'After' })
    const next = await issue({}, body.token)
    expect(next.body).toMatchObject({ agent: 'After', agent_id: 'renamed-worker' })
    const audited = (await entries()).find(({ target }) => target === `token:${next.body.id}`)
    expect(audited?.actor).toMatchObject({ agent: 'After', agent_id: 'renamed-worker' })
  })

  test('MEMO-37 for an agent of nobody, of another workspace or of the platform is one 403', async () => {
    const refused: unknown[] = []
    for (const agent_id of ['nobody', 'theirs', 'conformance-platform-agent'])
      refused.push(await issue({ agent_id }))
    const detail = 'This agent does not belong to the workspace'
    expect(refused[0]).toMatchObject({ status: 403, body: { detail } })
    expect(refused).toEqual(refused.map(() => refused[0]))
  })

  test('has an agent or a name, and with a token of an agent it has the same', async () => {
    await create('one-agent', 'One')
    await create('two-agent', 'Two')
    expect((await issue({ agent: 'One', agent_id: 'one-agent' })).status).toBe(422)
    const bound = (await issue({ agent_id: 'one-agent' })).body.token
    const named = (await issue({ agent: 'One' })).body.token
    expect((await issue({ agent_id: 'one-agent' }, bound)).status).toBe(201)
    expect((await issue({ agent: 'One' }, bound)).body).toMatchObject({ agent_id: 'one-agent' })
    const refused = {
      status: 403,
      body: { detail: 'A token of an agent can create and rotate only tokens of that agent' },
    }
    for (const [order, token] of [
      [{ agent_id: 'two-agent' }, bound],
      [{ agent: 'Two' }, bound],
      [{ agent_id: 'one-agent' }, named],
      [{ agent_id: 'nobody' }, named],
    ] as const)
      expect(await issue(order, token)).toMatchObject(refused)
  })
})

describe('a retired agent', () => {
  test('AUTH-11 has no token that works on the next request, nor what its tokens issued', async () => {
    await create('retiring', 'Retiring')
    const first = (await issue({ agent_id: 'retiring', scopes: ['brand:read'] })).body
    const second = (await issue({}, first.token)).body
    const other = (await issue({ agent: 'Retiring' })).body
    for (const { token } of [first, second, other]) expect((await me(token)).status).toBe(200)
    expect((await call('GET', agents, undefined, first.token)).status).toBe(200)
    const retired = await call<Agent>('POST', `${agents}/retiring/retire`)
    expect(retired).toMatchObject({
      status: 200,
      body: { status: 'retired', retired_at: expect.any(String) },
    })
    expect((await call('GET', agents, undefined, first.token)).status).toBe(401)
    expect((await me(second.token)).status).toBe(401)
    expect((await me(other.token)).status).toBe(200)
    const told = (await entries()).filter(({ action }) => ['agent.retired', 'token.revoked'].includes(action))
    expect(told.map(({ target }) => target).sort()).toEqual(
      ['agent:retiring', `token:${first.id}`, `token:${second.id}`].sort(),
    )
  })

  test('stays retired: once more changes nothing, no token is issued for it, and its id is not free', async () => {
    await create('gone')
    const first = await call('POST', `${agents}/gone/retire`)
    expect(await call('POST', `${agents}/gone/retire`)).toEqual(first)
    expect(await issue({ agent_id: 'gone' })).toMatchObject({
      status: 409,
      body: { detail: 'The agent is retired' },
    })
    expect((await call('POST', agents, { agent_id: 'gone', name: 'Again' })).status).toBe(409)
    expect((await call('GET', `${agents}/gone`)).body).toMatchObject({ status: 'retired' })
  })

  test('has no token that works, even if one was not revoked', async () => {
    await create('bare')
    const { id, token } = (await issue({ agent_id: 'bare', scopes: ['brand:read'] })).body
    expect((await call('GET', agents, undefined, token)).status).toBe(200)
    await world.sql(
      `update identity.agents set status = 'retired', retired_at = now() where brand_id = $1 and agent_id = 'bare'`,
      [team.brand_id],
    )
    expect((await call('GET', agents, undefined, token)).status).toBe(401)
    const [row] = await world.sql('select 1 from identity.tokens where id = $1 and revoked_at is null', [id])
    expect(row).toBeDefined()
  })
})

test('events tell of agents by id, and never by name', async () => {
  const own = await newTeam()
  await create('told', 'Secret name', own)
  await world.made(by(own.token), 'PATCH', `${agents}/told`, { name: 'Other secret name' })
  await world.made(by(own.token), 'POST', `${agents}/told/retire`)
  const rows = await world.sql(
    'select type, subject_kind, subject_id, data from platform.workspace_events where brand_id = $1 order by created_at',
    [own.brand_id],
  )
  const subject = { subject_kind: 'agent', subject_id: 'told' }
  expect(rows).toEqual([
    { type: 'agent.created', ...subject, data: { agent_id: 'told', origin: 'created' } },
    { type: 'agent.renamed', ...subject, data: { agent_id: 'told' } },
    { type: 'agent.retired', ...subject, data: { agent_id: 'told' } },
  ])
})

test('a workspace has at most 5,000 active agents', async () => {
  const own = await newTeam()
  await world.sql(
    `insert into identity.agents (brand_id, agent_id, name) select $1, 'n' || n, 'N' from generate_series(1, 5000) n`,
    [own.brand_id],
  )
  const order = () => call('POST', agents, { agent_id: 'one-more', name: 'N' }, own.token)
  expect(await order()).toMatchObject({
    status: 409,
    body: { detail: 'A workspace has at most 5,000 active agents' },
  })
  await world.made(by(own.token), 'POST', `${agents}/n1/retire`)
  expect((await order()).status).toBe(201)
})
