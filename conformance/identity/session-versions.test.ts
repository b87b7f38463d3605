import { freePort } from '@crewhall/testkit/free-port.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { expect, test } from 'vitest'

const port = await freePort()
const server = useServer('probe', { METRICS_PORT: String(port) })
const at = new World(server)

const callers = 20
const member = '/api/v1/probe/auth/member'

async function lookups(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const counts = [...text.matchAll(/^crewhall_caller_lookups_total\{[^}]*\} (\d+)$/gm)]
  return counts.reduce((sum, [, count]) => sum + Number(count), 0)
}

/** How many of the callers of a workspace are looked up again after somebody of it has signed out. */
async function lookedUpAfterSignOut(): Promise<{ again: number; raised: number }> {
  const brand_id = await at.newBrand()
  const cookies = await Promise.all(
    Array.from({ length: callers }, async () => {
      const who = await at.join(brand_id, 'member')
      return at.newCookie(who.person_id, brand_id)
    }),
  )
  const everybody = async () => {
    for (const cookie of cookies) {
      expect((await server.get(member, { headers: { cookie } })).status).toBe(200)
    }
  }
  const epoch = async () =>
    (
      await at.sql<{ auth_epoch: string }>('select auth_epoch from identity.brands where id = $1', [brand_id])
    )[0]?.auth_epoch
  const leaving = await at.join(brand_id, 'member')
  const cookie = await at.newCookie(leaving.person_id, brand_id)
  await everybody()
  const before = await epoch()
  const out = await server.get('/api/v1/auth/sign-out', { method: 'POST', headers: { cookie } })
  expect(out.status).toBe(200)
  const known = await lookups()
  await everybody()
  return { again: (await lookups()) - known, raised: Number(await epoch()) - Number(before) }
}

test('K7: after somebody has signed out, no other caller of the workspace is looked up again', async () => {
  expect(await lookedUpAfterSignOut()).toEqual({ again: 0, raised: 0 })
})

test('K7: the naive twin, a sign-out that raises the epoch of the workspace, has all of them looked up again', async () => {
  const owner = await server.connection('owner')
  await owner.query(`create trigger raise_epoch after delete on identity.sessions
    for each row when (old.brand_id is not null) execute function identity.raise_epoch()`)
  try {
    expect(await lookedUpAfterSignOut()).toEqual({ again: callers, raised: 1 })
  } finally {
    await owner.query('drop trigger raise_epoch on identity.sessions')
    await owner.end()
  }
})

test('K7: a session that acts for another workspace now is not let into the first from memory', async () => {
  const [first, second] = [await at.newBrand(), await at.newBrand()]
  const { person_id } = await at.join(first, 'member')
  await at.join(second, 'admin', person_id)
  const cookie = await at.newCookie(person_id, first)
  const other = await server.start('api', { METRICS_PORT: '0' })
  const brandAt = async (url: string) => {
    const response = await fetch(`${url}${member}`, { headers: { cookie } })
    return ((await response.json()) as { brand_id: number }).brand_id
  }
  expect([await brandAt(server.api.url), await brandAt(other.url)]).toEqual([first, first])
  const moved = await server.get('/api/v1/me/brand', {
    method: 'PUT',
    headers: { cookie, 'content-type': 'application/json' },
    body: JSON.stringify({ brand_id: second }),
  })
  expect(moved.status).toBe(200)
  expect([await brandAt(server.api.url), await brandAt(other.url)]).toEqual([second, second])
})
