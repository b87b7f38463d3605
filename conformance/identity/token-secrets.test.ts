import { globSync, readFileSync } from 'node:fs'
import { json, newToken, signUp } from '@crewhall/testkit/people.ts'
import { root } from '@crewhall/testkit/server-process.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { expect, test } from 'vitest'

const server = useSharedServer('product')
const { sql } = new World(server)
const get = (path: string, init?: RequestInit) => server.get(path, init)
const keptFor = (brand_id: number) =>
  sql<{ body: string | null }>('select body from platform.idempotency_keys where brand_id = $1', [brand_id])

test('S6: the secret of a new or rotated token is kept nowhere, and a key that is used again hears so', async () => {
  const owner = await signUp(get)
  const { id } = await newToken(get, owner, [])
  const path = `/api/v1/brands/${owner.brand_id}/tokens`
  for (const [at, key] of [
    [path, 'issue'],
    [`${path}/${id}/rotate`, 'rotate'],
  ] as const) {
    const order = json({ name: 'keyed', scopes: [] }, { cookie: owner.cookie, 'idempotency-key': key })
    const first = await get(at, order)
    expect(first.status).toBeLessThan(300)
    const { token } = (await first.json()) as { token: string }
    const again = await get(at, order)
    const told = await again.text()
    expect([again.status, told.includes('shown only once')]).toEqual([409, true])
    expect(told).not.toContain(token)
    expect(JSON.stringify(await keptFor(owner.brand_id))).not.toContain(token)
  }
  const [live] = await sql<{ count: number }>(
    'select count(*)::int as count from identity.tokens where brand_id = $1',
    [owner.brand_id],
  )
  expect(live?.count).toBe(2)
})

test('S6: the migration takes tokens out of the answers that are kept, and leaves all others', async () => {
  const owner = await signUp(get)
  const bodies = ['{"id":"1","token":"chp_abcdef"}', '{"id":"2","name":"chp_ is how tokens begin"}']
  for (const [place, body] of bodies.entries()) {
    await sql(
      `insert into platform.idempotency_keys (brand_id, digest, request, status, headers, body)
       values ($1, $2, 'x', 201, '{}', $3)`,
      [owner.brand_id, Buffer.from([place]), body],
    )
  }
  const [purge = ''] = globSync(`${root}/apps/server/migrations/*_platform_purge_kept_tokens.sql`)
  // The table has another name since.
  await sql(readFileSync(purge, 'utf8').replaceAll('platform.kept_answers', 'platform.idempotency_keys'))
  const kept = (await keptFor(owner.brand_id)).map(({ body }) => body)
  expect(kept.toSorted()).toEqual([bodies[1], null].toSorted())
})
