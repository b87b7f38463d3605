import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { MemoryWorkspace, nowhere } from './memory-world.ts'

const server = useSharedServer('product')
let work: MemoryWorkspace
let admin: MemoryWorkspace
beforeAll(async () => {
  work = await MemoryWorkspace.open(server)
  const { brand_id, agent, world } = work
  const member = await world.join(brand_id, 'admin')
  const token = await world.newToken(member, ['memory:read', 'memory:write'])
  admin = new MemoryWorkspace(server, { ...member, token, agent })
})

const secret = 'hunter2-and-more'
const purge = (id: string, body: object = {}, by = admin) => by.call('POST', `/memories/${id}/purge`, body)
/** Tables in which the secret stands, of all that have rows of workspaces. */
async function places(): Promise<string[]> {
  const everything = await server.connection('superuser')
  const { rows: tables } = await everything.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attname = 'brand_id' and not a.attisdropped
     where c.relkind = 'r' order by 1`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    const { rowCount } = await everything.query(
      `select from ${name} t where brand_id = $1 and position($2 in t::text) > 0 limit 1`,
      [work.brand_id, secret],
    )
    if (rowCount) found.push(name)
  }
  await everything.end()
  return found
}
/** With the secret in every text that there is: once changed, and created with an Idempotency-Key. */
async function addSecret(): Promise<{ id: string; again: () => Promise<{ status: number }> }> {
  const texts = { title: secret, body: secret, description: secret, tags: [secret] }
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const create = () =>
    work.call<{ id: string }>(
      'POST',
      '/memories',
      { agent_id: work.agent, kind: 'fact', ...texts },
      { token: work.token },
      headers,
    )
  const { id } = (await create()).body
  await work.change(id, { title: 'Harmless', reason: `Had ${secret} in its title` })
  await server.sql(
    `insert into memory.embeddings (brand_id, memory_id, agent_id, model, dimension, text_hash, vector)
     values ($1, $2, $3, 'm', 2, sha256('x'), '[1,0]')`,
    [work.brand_id, id, work.agent],
  )
  return { id, again: create }
}

test.each([
  ['that is still there', false],
  ['that was deleted before', true],
])(
  'a memory %s is purged: no text, vector or digest of it is left, and nothing brings it back',
  async (_, isDeleted) => {
    const { id, again } = await addSecret()
    if (isDeleted) await work.call('DELETE', `/memories/${id}?reason=${secret}`)
    expect(await places()).toEqual(expect.arrayContaining(['memory.history', 'platform.idempotency_keys']))
    expect((await purge(id, { reason: 'Contained a password' })).status).toBe(204)
    expect(await places()).toEqual([])
    for (const table of ['memories', 'embeddings', 'embedding_queue', 'tombstones'])
      expect(
        await server.sql(`select from memory.${table} t where position($1 in t::text) > 0`, [id]),
      ).toEqual([])
    const { body } = await work.call<{ changes: { action: string; reason: string | null }[] }>(
      'GET',
      `/memories/${id}/history`,
    )
    expect(body.changes).toMatchObject([
      { action: 'purged', reason: 'Contained a password', before: null, after: null },
      { action: 'deleted', reason: null, before: null, after: null },
      { action: 'updated', reason: null, before: null, after: null },
      { action: 'created', reason: null, before: null, after: null },
    ])
    for (const version of [1, 2, 3, 4])
      expect((await work.call('POST', `/memories/${id}/restore`, { version })).status).toBe(404)
    expect((await again()).status).toBe(422)
    expect(await places()).toEqual([])
    const audit = await server.sql<{ actor_person_id: number }>(
      `select actor_person_id from platform.audit_entries where brand_id = $1 and action = 'memory.purged' and target = $2`,
      [work.brand_id, `memory:${id}`],
    )
    expect(audit).toEqual([{ actor_person_id: admin.person_id }])
  },
)

test('purging again changes nothing, and unknown and foreign memories are missing', async () => {
  const { id } = await work.add()
  for (const status of [204, 204]) expect((await purge(id)).status).toBe(status)
  const { body } = await work.call<{ changes: unknown[] }>('GET', `/memories/${id}/history`)
  expect(body.changes).toHaveLength(3)
  const foreign = await (await MemoryWorkspace.open(server, 'their-bot')).add()
  const missing = { status: 404, body: { detail: 'Memory not found' } }
  expect(await purge(nowhere)).toEqual(missing)
  expect(await purge(foreign.id)).toEqual(missing)
})

test('only admins purge', async () => {
  const { id } = await work.add()
  expect((await purge(id, {}, work)).status).toBe(403)
  expect((await work.call('GET', `/memories/${id}`)).status).toBe(200)
})
