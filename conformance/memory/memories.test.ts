import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Memory, MemoryWorkspace, nowhere } from './memory-world.ts'

const server = useSharedServer('product')
let work: MemoryWorkspace
let other: MemoryWorkspace
beforeAll(async () => {
  work = await MemoryWorkspace.open(server)
  other = await MemoryWorkspace.open(server, 'their-bot')
})

const refusedAs = (status: number, detail: unknown) => ({ status, body: { detail } })
const notOwned = refusedAs(403, 'This agent does not belong to the workspace')
const missing = refusedAs(404, 'Memory not found')

test('MEMO-02 MEMO-38 MEMO-42 MEMO-43 MEMO-44 MEMO-G12 MEMO-G15: a created memory comes back whole, with its defaults', async () => {
  const { status, body } = await work.create({ title: 'Nine minutes', body: 'So long takes a build.' })
  expect(status).toBe(201)
  expect(body).toMatchObject({
    agent_id: 'build-bot',
    kind: 'fact',
    title: 'Nine minutes',
    body: 'So long takes a build.',
    description: null,
    confidence: 0.8,
    tags: [],
    importance: 'normal',
    status: 'active',
    version: 1,
    is_locked: true,
    possible_duplicate_of: null,
  })
  expect(body.id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  expect([body.updated_at, body.last_verified_at]).toEqual([body.created_at, body.created_at])
  expect(body.created_at).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
  const { possible_duplicate_of: _, ...memory } = body
  expect(await work.call('GET', `/memories/${body.id}`)).toEqual({ status: 200, body: memory })
})

test('MEMO-42: all that may be sent is stored as it was sent', async () => {
  const sent = {
    kind: 'decision',
    title: ' Ünïcode 😀 ',
    body: 'Two\nlines',
    description: 'In one line',
    tags: ['Release', 'release', 'a b'],
    confidence: 0.123456789,
    importance: 'high',
  }
  const made = await work.add(sent)
  expect(made).toMatchObject(sent)
  expect((await work.call<Memory>('GET', `/memories/${made.id}`)).body).toMatchObject(sent)
})

test('MEMO-39: the same text twice is two memories, and the second names the first', async () => {
  const first = await work.add({ title: 'Twice', body: 'The same  words' })
  const second = await work.add({ title: 'TWICE ', body: 'the same words' })
  expect(second.id).not.toBe(first.id)
  expect(second.possible_duplicate_of).toBe(first.id)
  const agent_id = await work.newAgent('another-bot')
  expect(
    (await work.add({ agent_id, title: 'Twice', body: 'The same words' })).possible_duplicate_of,
  ).toBeNull()
})

test.each(['agent_id', 'kind', 'title', 'body'])('MEMO-40: %s is required', async (name) => {
  expect(await work.create({ [name]: undefined })).toEqual(refusedAs(422, `${name}: is required`))
  expect((await work.create({ [name]: null })).status).toBe(422)
})

test('MEMO-01 MEMO-41 MEMO-G11: five kinds can be written; a summary and other words cannot', async () => {
  for (const kind of ['decision', 'learning', 'pattern', 'preference', 'fact'])
    expect([kind, (await work.create({ kind })).status]).toEqual([kind, 201])
  const { id } = await work.add()
  for (const kind of ['summary', 'Fact', 'opinion', '', 7, ['fact']]) {
    expect([kind, (await work.create({ kind })).status]).toEqual([kind, 422])
    expect([kind, (await work.change(id, { kind })).status]).toEqual([kind, 422])
  }
})

test('MEMO-03 MEMO-47 MEMO-G13: an agent id has 1 to 255 ASCII letters, digits, _ or -', async () => {
  const longest = await work.newAgent(`A_z-9${'x'.repeat(250)}`)
  expect((await work.create({ agent_id: longest })).status).toBe(201)
  for (const agent_id of ['', `${longest}x`, 'a b', 'a.b', 'ä', '٣', 'a/b', 'build-bot\n', 7])
    expect([agent_id, (await work.create({ agent_id })).status]).toEqual([agent_id, 422])
})

test('MEMO-04 MEMO-G13: a title has 1 to 500 characters, not bytes', async () => {
  const { id } = await work.add({ title: '😀'.repeat(500) })
  for (const title of ['', '   ', 'x'.repeat(501), 7, null]) {
    expect([title, (await work.create({ title })).status]).toEqual([title, 422])
    expect([title, (await work.change(id, { title })).status]).toEqual([title, 422])
  }
})

test('MEMO-05 MEMO-46 MEMO-59: a description has up to 200 characters', async () => {
  const { id } = await work.add({ description: 'é'.repeat(200) })
  const tooLong = refusedAs(422, 'description: must be 0 to 200 characters long')
  expect(await work.create({ description: 'x'.repeat(201) })).toEqual(tooLong)
  expect(await work.change(id, { description: 'x'.repeat(201) })).toEqual(tooLong)
})

test('MEMO-06 MEMO-45 MEMO-58: confidence is a number from 0 to 1, both included', async () => {
  const { id } = await work.add()
  for (const confidence of [0, 0.3, 1]) {
    expect((await work.add({ confidence })).confidence).toBe(confidence)
    expect((await work.change(id, { confidence })).body.confidence).toBe(confidence)
  }
  for (const confidence of [-0.01, 1.01, '0.5', true, null, 'NaN', [], {}]) {
    expect([confidence, (await work.create({ confidence })).status]).toEqual([confidence, 422])
    expect([confidence, (await work.change(id, { confidence })).status]).toEqual([confidence, 422])
  }
  for (const text of ['NaN', 'Infinity', '1e999']) {
    const body = `{"agent_id":"build-bot","kind":"fact","title":"T","body":"B","confidence":${text}}`
    expect([text, (await work.call('POST', '/memories', body)).status]).toEqual([text, 422])
  }
})

test('MEMO-07 MEMO-G13: importance is low, normal, high or critical', async () => {
  const { id } = await work.add()
  for (const importance of ['low', 'normal', 'high', 'critical']) {
    expect((await work.add({ importance })).importance).toBe(importance)
    expect((await work.change(id, { importance })).body.importance).toBe(importance)
  }
  for (const importance of ['urgent', '', 'LOW', null, 1])
    expect([importance, (await work.create({ importance })).status]).toEqual([importance, 422])
})

test('MEMO-37 MEMO-G14: an agent that is not of the workspace is refused alike, whoever has it', async () => {
  const owner = await server.connection('owner')
  await owner.query(
    `insert into identity.platform_agents (agent_id, name) values ('of-platform', 'P') on conflict do nothing`,
  )
  for (const agent_id of ['their-bot', 'nobody', 'of-platform']) {
    expect(await work.create({ agent_id })).toEqual(notOwned)
    expect(await work.search({}, agent_id)).toEqual(notOwned)
    expect(await work.recall({ query: 'x' }, agent_id)).toEqual(notOwned)
    for (const path of ['/memories/stats', '/memories', '/memories/expiring'])
      expect(await work.call('GET', `${path}?agent_id=${agent_id}`)).toEqual(notOwned)
  }
})

test('MEMO-47: the form of the agent id is judged before its owner', async () => {
  expect(await work.create({ agent_id: 'their bot' })).toEqual(
    refusedAs(422, 'agent_id: must be 1 to 255 letters, digits, _ or -'),
  )
})

test('MEMO-52 MEMO-53: a change sets what was sent and leaves the rest', async () => {
  const made = await work.add({ description: 'D', tags: ['a'], importance: 'low' })
  const { possible_duplicate_of: _, ...before } = made
  const sent = {
    title: 'T2',
    body: 'B2',
    kind: 'learning',
    importance: 'high',
    description: 'D2',
    tags: ['b', 'c'],
  }
  for (const [name, value] of Object.entries(sent)) {
    const { body: now } = await work.call<Memory>('GET', `/memories/${made.id}`)
    const { status, body } = await work.change(made.id, { [name]: value })
    const { version, updated_at, last_verified_at } = body
    expect([status, version]).toEqual([200, now.version + 1])
    expect(body).toEqual({ ...now, [name]: value, version, updated_at, last_verified_at })
  }
  expect(before.title).not.toBe('T2')
})

test('MEMO-54: tags are replaced as a whole, and an empty list clears them', async () => {
  const { id } = await work.add({ tags: ['a', 'b'] })
  expect((await work.change(id, { tags: ['c'] })).body.tags).toEqual(['c'])
  expect((await work.change(id, { tags: [] })).body.tags).toEqual([])
})

test('MEMO-08 MEMO-55 MEMO-56 MEMO-57 MEMO-36: an archived memory leaves search and recall, and comes back', async () => {
  const { id } = await work.add({ title: 'Xylophone', body: 'Archived and brought back' })
  const seen = async () => [
    (await work.search({ query: 'xylophone' })).body.count,
    (await work.recall({ query: 'xylophone' })).body.count,
  ]
  expect(await seen()).toEqual([1, 1])
  expect((await work.change(id, { status: 'archived' })).body.status).toBe('archived')
  expect(await seen()).toEqual([0, 0])
  expect((await work.call('GET', `/memories/${id}`)).status).toBe(200)
  expect((await work.change(id, { status: 'active' })).body.status).toBe('active')
  expect(await seen()).toEqual([1, 1])
})

test('MEMO-G17: merged and null are refused, and a change of nothing changes nothing', async () => {
  const { possible_duplicate_of: _, ...made } = await work.add()
  expect((await work.change(made.id, { status: 'merged' })).status).toBe(422)
  for (const name of ['title', 'body', 'description', 'kind', 'tags', 'confidence', 'importance', 'status'])
    expect([name, (await work.change(made.id, { [name]: null })).status]).toEqual([name, 422])
  expect(await work.change(made.id, {})).toEqual({ status: 200, body: made })
  expect(await work.change(made.id, { importance: 'normal', unknown: 1 })).toEqual({
    status: 200,
    body: made,
  })
})

test('MEMO-G17: a merged memory can be changed and brought back', async () => {
  const { id } = await work.add()
  await work.world.sql(`update memory.memories set status = 'merged' where id = $1`, [id])
  expect((await work.change(id, { title: 'Still here' })).body.status).toBe('merged')
  expect((await work.change(id, { status: 'active' })).body.status).toBe('active')
})

test('MEMO-60: an id that is no UUID is 422, stats included', async () => {
  const malformed = refusedAs(422, 'memory_id: must be a UUID')
  for (const id of ['stats', 'expiring', 'x', '1', `${nowhere}0`, '%00']) {
    expect(await work.change(id, { title: 'T' })).toEqual(malformed)
    expect(await work.call('DELETE', `/memories/${id}`)).toEqual(malformed)
  }
})

test('MEMO-61 MEMO-63 AUTH-31: a memory of another workspace is missing for every route', async () => {
  const { id } = await other.add()
  for (const each of [id, nowhere]) {
    const answers = await Promise.all([
      work.change(each, { title: 'Mine' }),
      work.call('DELETE', `/memories/${each}`),
      work.call('GET', `/memories/${each}`),
      work.call('GET', `/memories/${each}/history`),
      work.call('POST', `/memories/${each}/verify`, {}),
      work.call('POST', `/memories/${each}/restore`, { version: 1 }),
    ])
    expect(answers).toEqual(answers.map(() => missing))
  }
  expect((await other.call('GET', `/memories/${id}`)).body).toMatchObject({ title: 'A fact', version: 1 })
})

test('MEMO-62 MEMO-63 MEMO-64: a deleted memory is gone at once, and deleting it again is 404', async () => {
  const { id } = await work.add({ title: 'Quokka' })
  expect((await work.search({ query: 'quokka' })).body.count).toBe(1)
  const gone = await work.call('DELETE', `/memories/${id}`)
  expect([gone.status, gone.text, gone.headers.get('content-type')]).toEqual([204, '', null])
  expect(Number(gone.headers.get('content-length') ?? 0)).toBe(0)
  expect((await work.search({ query: 'quokka' })).body.count).toBe(0)
  expect(await work.call('DELETE', `/memories/${id}`)).toEqual(missing)
  expect(await work.change(id, { title: 'Back' })).toEqual(missing)
})

test('MEMO-65: a memory is deleted whatever its status', async () => {
  for (const status of ['active', 'archived', 'merged']) {
    const { id } = await work.add()
    await work.world.sql('update memory.memories set status = $2 where id = $1', [id, status])
    expect((await work.call('DELETE', `/memories/${id}`)).status).toBe(204)
  }
})

test('SYS-15: an id in capitals is the same id', async () => {
  const { id } = await work.add()
  expect((await work.call<Memory>('GET', `/memories/${id.toUpperCase()}`)).body.id).toBe(id)
})

test('an Idempotency-Key makes one memory, and the deletion is replayed without a body', async () => {
  const key = { 'idempotency-key': `memory-${work.brand_id}` }
  const memory = { agent_id: work.agent, kind: 'fact', title: 'Once', body: 'Only once' }
  const first = await work.call<Memory>('POST', '/memories', memory, undefined, key)
  const again = await work.call<Memory>('POST', '/memories', memory, undefined, key)
  expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([first.body, 'true'])
  const path = `/memories/${again.body.id}`
  for (const replayed of [null, 'true']) {
    const { status, text, headers } = await work.call('DELETE', path, undefined, undefined, key)
    expect([status, text, headers.get('idempotent-replayed')]).toEqual([204, '', replayed])
  }
})
