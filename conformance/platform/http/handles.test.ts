import { randomUUID } from 'node:crypto'
import { clientOf } from '@crewhall/client/client.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { beforeAll, expect, test } from 'vitest'
import { probeNoteRoutes } from '../../../apps/server/test/probe/probe-notes.contract.ts'

const server = useSharedServer('probe')
const world = new World(server)
const notes = '/api/v1/probe/notes'
let brand_id: number
let token: string

beforeAll(async () => {
  brand_id = await world.newBrand()
  const member = await world.join(brand_id, 'member')
  token = (await world.newTokens(member, [], 1))[0]?.token ?? ''
})

interface Note {
  readonly id: string
  readonly name: string
}
const add = (name: string, key: string, query = '') =>
  world.call<Note>({ token }, 'POST', notes + query, { name }, { 'idempotency-key': key })

test('a write on another handle commits its row, job, event, audit entry and stored response in one transaction there', async () => {
  const name = randomUUID()
  const { status, body } = await add(name, randomUUID())
  expect(status).toBe(201)
  const [note] = await world.sql<{ way: string; xmin: string }>(
    'select way, xmin::text from probe.notes where brand_id = $1 and name = $2',
    [brand_id, name],
  )
  expect(note?.way).toBe('crewhall-api-memory')
  const others = await world.sql<{ what: string; xmin: string }>(
    `select 'audit' as what, xmin::text from platform.audit_entries where brand_id = $1 and target = $2
     union all select 'event', xmin::text from platform.workspace_events where brand_id = $1 and subject_id = $3
     union all select 'job', xmin::text from pgboss.job where data->'payload'->>'name' = $4
     union all select 'response', xmin::text from platform.idempotency_keys where brand_id = $1 and body like $5`,
    [brand_id, `note:${body.id}`, body.id, `${name} by a job`, `%${body.id}%`],
  )
  expect(others).toEqual(['audit', 'event', 'job', 'response'].map((what) => ({ what, xmin: note?.xmin })))
})

test('an Idempotency-Key on another handle is kept there, and a dry run leaves nothing behind', async () => {
  const [name, key] = [randomUUID(), randomUUID()]
  const first = await add(name, key)
  const again = await add(name, key)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.body).toEqual(first.body)
  const tried = randomUUID()
  expect((await add(tried, randomUUID(), '?dry_run=true')).status).toBe(201)
  expect(
    await world.sql('select name from probe.notes where brand_id = $1 and name = any($2)', [
      brand_id,
      [name, tried],
    ]),
  ).toEqual([{ name }])
})

test('a POST that only reads runs outside of a transaction, whatever key or dry run comes with it', async () => {
  const name = randomUUID()
  const { body: note } = await add(name, randomUUID())
  const key = { 'idempotency-key': randomUUID() }
  const search = () =>
    world.call<{ notes: Note[] }>({ token }, 'POST', `${notes}/search?dry_run=true`, { name }, key)
  expect([(await search()).body]).toEqual([{ notes: [note], is_outside: true }])
  await world.sql('delete from probe.notes where brand_id = $1 and name = $2', [brand_id, name])
  const again = await search()
  expect([again.status, again.body.notes, again.headers.get('dry-run')]).toEqual([200, [], null])
  expect(again.headers.get('idempotent-replayed')).toBeNull()
})

test('another workspace does not see the rows, and a malformed id has the status of the contract', async () => {
  const { body: note } = await add(randomUUID(), randomUUID())
  const other = await world.join(await world.newBrand(), 'member')
  const stranger = (await world.newTokens(other, [], 1))[0]?.token ?? ''
  expect((await world.call({ token: stranger }, 'GET', `${notes}/${note.id}`)).status).toBe(404)
  const malformed = await world.call({ token }, 'GET', `${notes}/stats`)
  expect([malformed.status, malformed.body]).toEqual([422, { detail: 'note_id: must be a UUID' }])
})

test('the client asks for JSON where the default is another format', async () => {
  const { body: note } = await add(randomUUID(), randomUUID())
  const plain = await server.get(`${notes}/${note.id}`, { headers: { authorization: `Bearer ${token}` } })
  expect(plain.headers.get('content-type')).toMatch(/^application\/yaml/)
  const headers = { authorization: `Bearer ${token}` }
  const client = clientOf({ probe: probeNoteRoutes }, { base_url: server.api.url, headers })
  expect((await client.probe.findNote({ params: { note_id: note.id } })).body).toEqual(note)
})
