import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { ConversationWorkspace, nowhere, type Source } from './conversation-world.ts'

const server = useSharedServer('product')
let work: ConversationWorkspace
beforeAll(async () => {
  work = await ConversationWorkspace.open(server)
})

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const statusOf = async (body: object) => (await work.create(body)).status

test('CONV-01 CONV-05 CONV-06 CONV-G4: a source is 201 with its id and what was sent, and is enabled', async () => {
  const { status, body } = await work.create()
  expect(status).toBe(201)
  expect(body).toMatchObject({
    id: expect.stringMatching(uuid),
    agent_id: work.agent,
    source_type: 'claude_code',
    config: {},
    enabled: true,
    paused_reason: null,
    created_by: work.person_id,
  })
  expect((await work.create({ enabled: false })).body.enabled).toBe(false)
})

test('CONV-02: a body without agent_id or source_type is 422', async () => {
  for (const body of [{ agent_id: work.agent }, { source_type: 'openclaw' }, {}, []])
    expect((await work.call('POST', '/sources', body)).status).toBe(422)
})

test('CONV-03 CONV-G1: openclaw, agentboard and claude_code are sources, and nothing else is', async () => {
  for (const source_type of ['openclaw', 'agentboard', 'claude_code'])
    expect((await work.create({ source_type })).body.source_type).toBe(source_type)
  for (const source_type of ['slack', 'OpenClaw', '', null, 1, ['openclaw']])
    expect(await statusOf({ source_type })).toBe(422)
})

test('CONV-04: config is any object within its bounds, and nothing else', async () => {
  const config = { label: 'CI', depth: 3, is_on: true, none: null, list: ['a', { b: 1 }] }
  expect((await work.create({ config })).body.config).toEqual(config)
  const deep = (levels: number): object => (levels === 0 ? {} : { in: deep(levels - 1) })
  expect(await statusOf({ config: deep(4) })).toBe(201)
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]))
  expect(await statusOf({ config: keys(100) })).toBe(201)
  const refused = [
    'text',
    3,
    null,
    [],
    deep(5),
    keys(101),
    { long: 'x'.repeat(8192) },
    { ['k'.repeat(101)]: 1 },
  ]
  for (const config of refused) expect(await statusOf({ config })).toBe(422)
})

test('CONV-G6: secrets in config are masked in every response and unreadable in the database', async () => {
  const config = {
    label: 'CI',
    api_token: 'hunter2',
    nested: { Authorization: 'Bearer abc', url: 'https://ann:hunter2@example.com/x' },
    list: [{ password: 'hunter2' }],
    pasted: 'sk0ant0aB3dE5fG7hI9jK1lM3nO5p',
  }
  const masked = {
    label: 'CI',
    api_token: '********',
    nested: { Authorization: '********', url: '********' },
    list: [{ password: '********' }],
    pasted: '********',
  }
  const { id, config: told } = await work.add({ config })
  expect(told).toEqual(masked)
  expect((await work.call<Source>('GET', `/sources/${id}`)).body.config).toEqual(masked)
  const { body } = await work.call<{ sources: Source[] }>('GET', '/sources?limit=1')
  expect(body.sources[0]?.config).toEqual(masked)
  const rows = await work.world.sql<{ row: string }>(
    `select s::text as row from conversations.sources s where id = $1`,
    [id],
  )
  const row = rows[0]?.row ?? ''
  expect(row).toContain(id)
  // Bytes stand there as hexadecimal digits.
  for (const word of ['hunter2', 'api_token', 'example.com', 'sk0ant'])
    for (const form of [word, Buffer.from(word).toString('hex')]) expect(row).not.toContain(form)
})

test('CONV-G6: a masked value that is sent back keeps what is stored; one that stands for nothing is 422', async () => {
  const { id } = await work.add({ config: { token: 'hunter2', label: 'a' } })
  const change = (config: object) => work.call<Source>('PATCH', `/sources/${id}`, { config })
  expect((await change({ token: '********', label: 'b' })).body.config).toEqual({
    token: '********',
    label: 'b',
  })
  // Under another name it would show whether it was kept.
  expect((await change({ label: '********' })).body.config).toEqual({ label: 'b' })
  expect((await change({ token: '********' })).status).toBe(422)
  expect(await statusOf({ config: { token: '********' } })).toBe(422)
})

test('CONV-07: an agent_id that is no plain workspace id is 422', async () => {
  for (const agent_id of ['a b', 'a/b', '', 'ä', 'x'.repeat(256), 5, null])
    expect(await statusOf({ agent_id })).toBe(422)
})

test('CONV-08: agents of another workspace, of the platform and of nobody are 403 with the same bytes', async () => {
  const other = await ConversationWorkspace.open(server)
  const foreign = await other.newAgent('their-bot')
  const admin = await server.connection('superuser')
  await admin.query(
    `insert into identity.platform_agents (agent_id, name) values ('platform-bot', 'P') on conflict do nothing`,
  )
  const before = await work.countSources()
  const told = await Promise.all(
    [foreign, 'platform-bot', 'nobody'].map((agent_id) => work.create({ agent_id })),
  )
  const refusal = { detail: 'This agent does not belong to the workspace' }
  for (const { status, body } of told) expect([status, body]).toEqual([403, refusal])
  expect(await work.countSources()).toBe(before)
})

test('a retired agent gets no source, and its sources are paused and cannot be resumed', async () => {
  const agent_id = await work.newAgent('old-bot')
  const { id } = await work.add({ agent_id })
  const admin = await work.world.join(work.brand_id, 'admin')
  const token = await work.world.newToken(admin, ['brand:admin'])
  const { status } = await work.world.call({ token }, 'POST', `/api/v1/agents/${agent_id}/retire`)
  expect(status).toBe(200)
  expect(await statusOf({ agent_id })).toBe(409)
  expect((await work.call<Source>('GET', `/sources/${id}`)).body).toMatchObject({
    enabled: false,
    paused_reason: 'The agent was retired',
  })
  expect((await work.call('POST', `/sources/${id}/resume`)).status).toBe(409)
})

test('CONV-09 CONV-G3 CONV-G4: the plan says how many sources there may be; one more is 403 quota_exceeded', async () => {
  const small = await ConversationWorkspace.open(server)
  await small.limitSources(2)
  const { id } = await small.add()
  await small.add()
  const { status, body } = await small.create()
  expect([status, body]).toEqual([403, { detail: { error: 'quota_exceeded', limit: 2, current: 2 } }])
  await small.call('DELETE', `/sources/${id}`)
  expect((await small.create()).status).toBe(201)
  await small.limitSources(3)
  expect((await small.create()).status).toBe(201)
})

test('CONV-G2: whose agent it is comes before how many sources there are', async () => {
  const full = await ConversationWorkspace.open(server)
  await full.limitSources(0)
  const { status, body } = await full.create({ agent_id: 'nobody' })
  expect([status, body]).toEqual([403, { detail: 'This agent does not belong to the workspace' }])
})

test('CONV-G5: two equal sources of one agent are two sources', async () => {
  const [one, two] = [await work.add({ config: { a: 1 } }), await work.add({ config: { a: 1 } })]
  expect(one.id).not.toBe(two.id)
})

test('sources are listed page by page, newest first, all and of an agent, without those of others', async () => {
  const own = await ConversationWorkspace.open(server)
  const other = await own.newAgent('other-bot')
  const ids: string[] = []
  for (let n = 0; n < 5; n += 1) ids.unshift((await own.add(n % 2 ? { agent_id: other } : {})).id)
  const walk = async (query: string) => {
    const found: string[] = []
    let cursor = ''
    do {
      const { body } = await own.call<{ sources: Source[]; next_cursor: string | null }>(
        'GET',
        `/sources?limit=2${query}${cursor}`,
      )
      found.push(...body.sources.map(({ id }) => id))
      cursor = body.next_cursor ? `&cursor=${body.next_cursor}` : ''
    } while (cursor)
    return found
  }
  expect(await walk('')).toEqual(ids)
  expect(await walk(`&agent_id=${other}`)).toEqual([ids[1], ids[3]])
  expect((await own.call('GET', '/sources?agent_id=nobody')).status).toBe(403)
  expect((await own.call('GET', '/sources?cursor=x')).status).toBe(422)
})

test('CONV-G7: a source is paused with a reason and resumed, and the pause is an event', async () => {
  const { id } = await work.add()
  const paused = await work.call<Source>('POST', `/sources/${id}/pause`, { reason: 'Too much' })
  expect(paused.body).toMatchObject({ enabled: false, paused_reason: 'Too much' })
  const resumed = await work.call<Source>('POST', `/sources/${id}/resume`)
  expect(resumed.body).toMatchObject({ enabled: true, paused_reason: null })
  const changed = await work.call<Source>('PATCH', `/sources/${id}`, { enabled: false })
  expect(changed.body).toMatchObject({ enabled: false, paused_reason: null })
  const events = await work.world.sql(
    `select type, data from platform.workspace_events where brand_id = $1 and subject_id = $2 order by created_at`,
    [work.brand_id, id],
  )
  const event = { type: 'source.paused', data: { agent_id: work.agent, source_type: 'claude_code' } }
  expect(events).toEqual([event, event])
})

test('a source that is deleted, missing or of another workspace is 404; what is no id is 422', async () => {
  const other = await ConversationWorkspace.open(server)
  const { id } = await work.add()
  const foreign = (await other.add()).id
  expect((await work.call('DELETE', `/sources/${id}`)).status).toBe(204)
  for (const each of [id, foreign, nowhere]) {
    const told = [
      await work.call('GET', `/sources/${each}`),
      await work.call('PATCH', `/sources/${each}`, { enabled: true }),
      await work.call('POST', `/sources/${each}/pause`, {}),
      await work.call('POST', `/sources/${each}/resume`),
      await work.call('DELETE', `/sources/${each}`),
    ]
    for (const { status, body } of told) expect([status, body]).toEqual([404, { detail: 'Source not found' }])
  }
  expect((await work.call('GET', '/sources/none')).status).toBe(422)
  expect((await other.call('GET', `/sources/${foreign}`)).status).toBe(200)
})

test('AUTH-22 AUTH-23: sources are read with memory:read and written with memory:write', async () => {
  const { id } = await work.add()
  const reader = { token: await work.tokenWith('memory:read') }
  const writer = { token: await work.tokenWith('memory:write') }
  const source = { agent_id: work.agent, source_type: 'openclaw' }
  const statuses = async (by: { token: string }) => [
    (await work.call('GET', '/sources', undefined, by)).status,
    (await work.call('GET', `/sources/${id}`, undefined, by)).status,
    (await work.call('POST', '/sources', source, by)).status,
    (await work.call('PATCH', `/sources/${id}`, {}, by)).status,
    (await work.call('DELETE', `/sources/${id}`, undefined, by)).status,
  ]
  expect(await statuses(reader)).toEqual([200, 200, 403, 403, 403])
  expect(await statuses(writer)).toEqual([403, 403, 201, 200, 204])
})

test('a directory is refused where the installation reads none', async () => {
  const { status, body } = await work.create({ config: { directory: 'sessions' } })
  expect([status, body]).toEqual([
    422,
    { detail: 'config.directory: this installation reads no directories; send conversations instead' },
  ])
})

test('CONV-04 CONV-G11: a source of tasks names boards of its own workspace, which are shown as they are', async () => {
  const boardOf = async ({ world, token }: ConversationWorkspace, key: string) =>
    (await world.made<{ id: string }>({ token }, 'POST', '/api/v1/board/boards', { name: key, key })).id
  const other = await ConversationWorkspace.open(server)
  const [own, second, foreign] = [
    await boardOf(work, 'OWN'),
    await boardOf(work, 'TWO'),
    await boardOf(other, 'OWN'),
  ]
  const on = (...board_ids: unknown[]) => ({ source_type: 'agentboard', config: { board_ids } })
  const { status, body } = await work.create(on(own))
  expect([status, body.config]).toEqual([201, { board_ids: [own] }])
  const unknown = { detail: 'config.board_ids: must be boards of this workspace' }
  for (const id of [foreign, nowhere]) {
    const refused = await work.create(on(own, id))
    expect([refused.status, refused.body]).toEqual([422, unknown])
    const change = await work.call('PATCH', `/sources/${body.id}`, { config: { board_ids: [id] } })
    expect([change.status, change.body]).toEqual([422, unknown])
  }
  for (const board_ids of ['all', [], [1], ['x'], {}, null])
    expect(await statusOf({ source_type: 'agentboard', config: { board_ids } })).toBe(422)
  const changed = await work.call<Source>('PATCH', `/sources/${body.id}`, {
    config: { board_ids: [own, second] },
  })
  expect([changed.status, changed.body.config]).toEqual([200, { board_ids: [own, second] }])
  // To other sources it is a setting as any other.
  expect(await statusOf({ config: { board_ids: 'all' } })).toBe(201)
})
