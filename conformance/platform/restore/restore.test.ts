import { newToken, signUp } from '@crewhall/testkit/people.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { expect, test } from 'vitest'
import { RestoredServer } from './restored-server.ts'

const server = useServer('product')
const get = (path: string, init?: RequestInit) => server.get(path, init)
const restored = new RestoredServer(server)
const restore = (to: string) => restored.restore(to)

const timelineIn = (output: string) => /^timeline: (\d+);/m.exec(output)?.[1]

test('what was ended after the restored moment stays ended, and the checks say what they found', async () => {
  const superuser = await server.connection('superuser')
  const role = decodeURIComponent(new URL(server.database.owner_url).username)
  const worker = await server.start('worker')
  const owner = await signUp(get)
  const headers = { cookie: owner.cookie }
  const [ended, ending, kept] = [
    await newToken(get, owner, []),
    await newToken(get, owner, []),
    await newToken(get, owner, []),
  ]
  const [session] = await server.sql<{ row: string }>(
    'select to_json(s)::text as row from identity.sessions s where person_id = $1',
    [owner.person_id],
  )
  const revoke = async ({ id }: { id: string }) =>
    (await get(`/api/v1/brands/${owner.brand_id}/tokens/${id}`, { method: 'DELETE', headers })).status
  // As if its transaction had ended after the moment: the entry has the time of the statement.
  expect(await revoke(ending)).toBe(200)
  const to = await restored.now()
  expect(await revoke(ended)).toBe(200)
  expect((await get('/api/v1/auth/sign-out', { method: 'POST', headers })).status).toBe(200)
  await waitFor(async () => (await server.sql('select from platform.revocations')).length === 0, 30_000)

  const early = await restore(to)
  expect([early.code, early.output]).toEqual([2, expect.stringContaining('stop the product first')])
  await worker.stop()
  await server.api.stop()
  const served = await restore(to)
  expect([served.code, served.output]).toEqual([2, expect.stringContaining('it was not restored to')])

  await server.sql('update identity.tokens set revoked_at = null where id = any($1)', [[ended.id, ending.id]])
  await server.sql(
    `insert into identity.sessions overriding system value
     select * from json_populate_record(null::identity.sessions, $1::json)`,
    [session?.row],
  )
  await restored.forget(to)
  const owned = await server.connection('owner')
  await owned.query(`select set_config('app.system', 'on', false)`)

  // A moment of another zone than was meant is later than what was restored: what ended in between stays ended too.
  const unchecked = await restore(new Date(Date.parse(to) + 3_600_000).toISOString())
  expect([unchecked.code, unchecked.output]).toEqual([1, expect.stringContaining('pages: NOT CHECKED')])
  expect(unchecked.output).toContain('ended: 1 sessions, 2 tokens, 0 keys of desks')
  await superuser.query('create schema amcheck')
  await superuser.query('create extension amcheck schema amcheck')
  await superuser.query(`grant usage on schema amcheck to ${superuser.escapeIdentifier(role)}`)
  await superuser.query(
    `grant execute on all functions in schema amcheck to ${superuser.escapeIdentifier(role)}`,
  )
  const again = await restore(to)
  expect(again.output).toContain('ended: 0 sessions, 0 tokens, 0 keys of desks\n')
  expect(again.output).toMatch(/pages: \d+ tables and \d+ indexes, 0 faults/)
  expect(again.output.match(/^invariant I\d+: holds/gm)?.length).toBe(16)
  expect(again.code).toBe(0)

  // A planted breach of an invariant is found, and the rest is closed all the same.
  await owned.query(`update identity.memberships set role = 'member' where brand_id = $1`, [owner.brand_id])
  const broken = await restore(to)
  // The same restore is not another timeline.
  expect(timelineIn(broken.output)).toBe(timelineIn(again.output))
  expect([broken.code, broken.output]).toEqual([1, expect.stringContaining(`  brand ${owner.brand_id}\n`)])
  await owned.query(`update identity.memberships set role = 'admin' where brand_id = $1`, [owner.brand_id])

  const next = await server.start('api')
  const statusOf = async (init: RequestInit) => (await fetch(`${next.url}/api/v1/board/boards`, init)).status
  for (const { token } of [ended, ending]) expect(await statusOf({ headers: bearer(token) })).toBe(401)
  expect(await statusOf({ headers })).toBe(401)
  expect(await statusOf({ headers: bearer(kept.token) })).toBe(200)
  await next.stop()
}, 180_000)

test.each(['2026-11-18T06:59:59', '2026-13-18T06:59:59Z'])(
  'a moment is whole and has a zone: %j is refused',
  async (to) => expect(await restore(to)).toMatchObject({ code: 64 }),
)
