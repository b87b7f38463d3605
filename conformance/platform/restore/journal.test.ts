import { type Revocation, readJournal } from '@crewhall/server/platform/revocations/revocation-journal.ts'
import { createStorage, type Storage } from '@crewhall/server/platform/storage/storage.ts'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { outside } from '@crewhall/testkit/outside.ts'
import { json, newToken, signUp } from '@crewhall/testkit/people.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'

const server = useServer('product')
const get = (path: string, init?: RequestInit) => server.get(path, init)
let storage: Storage
beforeAll(() => {
  const { s3 } = readServiceFacts()
  storage = createStorage({ ...s3, prefix: `${server.database.name}/`, timeout_ms: 10_000 })
})
afterAll(async () => {
  for (const { key } of await storage.list(outside, '')) await storage.remove(outside, key)
  storage.close()
})

const journal = async (since = new Date(0)): Promise<Revocation[]> =>
  Array.fromAsync(readJournal(outside, storage, since))
const waiting = async () => (await server.sql('select from platform.revocations')).length

test('whatever ends a session or a token is in the journal, also when the worker dies after writing', async () => {
  const owner = await signUp(get)
  const path = `/api/v1/brands/${owner.brand_id}/tokens`
  const headers = { cookie: owner.cookie }
  const [revoked, replaced, kept] = [
    await newToken(get, owner, []),
    await newToken(get, owner, []),
    await newToken(get, owner, []),
  ]
  const [session] = await server.sql<{ id: number }>(
    'select id from identity.sessions where person_id = $1',
    [owner.person_id],
  )
  const begun = new Date()
  expect((await get(`${path}/${replaced.id}/rotate`, json({}, headers))).status).toBe(200)
  expect((await get(`${path}/${revoked.id}`, { method: 'DELETE', headers })).status).toBe(200)
  expect((await get('/api/v1/auth/sign-out', json({}, headers))).status).toBe(200)
  expect(await waiting()).toBe(3)

  const doomed = await server.start('worker', { TEST_FAULT_POINTS: 'revocations.written:kill@1' })
  await doomed.ended
  expect(await waiting()).toBe(3)
  const next = await server.start('worker')
  await waitFor(async () => (await waiting()) === 0, 20_000)
  await next.stop()

  const entries = await journal()
  const expected = [`session ${session?.id}`, `token ${replaced.id}`, `token ${revoked.id}`]
  expect([...new Set(entries.map(({ kind, id }) => `${kind} ${id}`))].toSorted()).toEqual(expected.toSorted())
  // At least once: by both workers.
  expect(entries.length).toBe(6)
  expect((await journal(new Date(begun.getTime() + 3_600_000))).length).toBe(0)
  const objects = await storage.list(outside, 'revocations/')
  expect(objects.length).toBe(2)
  for (const { key } of objects) {
    const text = Buffer.from((await storage.find(outside, key))?.bytes ?? []).toString()
    for (const secret of [revoked.token, replaced.token, kept.token, owner.cookie, owner.email])
      expect(text).not.toContain(secret)
  }
})

test('a session that has expired and is swept is no revocation', async () => {
  const owner = await signUp(get)
  await server.sql(
    `update identity.sessions set expires_at = now() - interval '1 minute' where person_id = $1`,
    [owner.person_id],
  )
  await server.sql('delete from identity.sessions where person_id = $1', [owner.person_id])
  expect(await waiting()).toBe(0)
})

test('a long journal is fetched some objects at a time, and none is left out', async () => {
  const since = new Date('2030-01-01T00:00:00Z')
  const written = Array.from({ length: 40 }, (_, at) => new Date(since.getTime() + at * 1000).toISOString())
  await Promise.all(
    written.map(async (at) => {
      const bytes = Buffer.from(JSON.stringify({ entries: [{ kind: 'token', id: at, at }] }))
      await storage.put(outside, `revocations/${at}-x.json`, { bytes, content_type: 'application/json' })
    }),
  )
  let [now, most] = [0, 0]
  const counted: Storage = {
    ...storage,
    async find(...which) {
      now += 1
      most = Math.max(most, now)
      return storage.find(...which).finally(() => (now -= 1))
    },
  }
  const found = await Array.fromAsync(readJournal(outside, counted, since))
  expect(found.map(({ id }) => id)).toEqual(written)
  expect(most).toBe(16)
})
