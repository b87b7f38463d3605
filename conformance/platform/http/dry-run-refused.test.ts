import { createHash, randomUUID } from 'node:crypto'
import { type AnyRoute, isRead, takesDryRun } from '@crewhall/contracts/route.ts'
import { allRoutes } from '@crewhall/contracts/routes.ts'
import { DeskCaller } from '@crewhall/testkit/desk-caller.ts'
import { type Call, callOf } from '@crewhall/testkit/matrix/call.ts'
import type { World } from '@crewhall/testkit/matrix/part.ts'
import { createWorld } from '@crewhall/testkit/matrix/world.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import type pg from 'pg'
import { beforeAll, expect, test } from 'vitest'

const key = 'the key of the installation'
const digest = createHash('sha256').update(key).digest('hex')
const server = useServer('product', { ADMIN_KEY_DIGESTS: digest })
let client: pg.Client
let world: World
let before: string
let desk: DeskCaller

/** Every row of every table of ours. */
async function everything(): Promise<string> {
  const tables = await client.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname !~ '^(pg_|information_schema|pgboss)' order by 1`,
  )
  const found: string[] = []
  for (const { name } of tables.rows) {
    const { rows } = await client.query(
      `select count(*), md5(string_agg(t::text, '' order by t::text)) from ${name} t`,
    )
    found.push(`${name} ${JSON.stringify(rows[0])}`)
  }
  return found.join('\n')
}

beforeAll(async () => {
  client = await server.connection('superuser')
  world = await createWorld((path, init) => server.get(path, init), client)
  desk = await DeskCaller.plant(client, world.brands.one, String(world.values.one.desk))
  before = await everything()
})

const writes = allRoutes.filter((route) => !isRead(route) && !takesDryRun(route))

/** A call that would be carried out: by an admin of the workspace, with its own things. */
function goodCall(route: AnyRoute): Call {
  if (route.auth.kind === 'nobody') {
    const headers = { 'content-type': 'application/json' }
    return {
      path: route.path.replaceAll(/\{\w+\}/g, randomUUID()),
      init: { method: route.method, headers, body: '{}' },
    }
  }
  const own = Object.fromEntries(Object.keys(route.resources ?? {}).map((name) => [name, 'own' as const]))
  const { cookie } = world.admins.one
  if (route.auth.kind === 'desk') {
    const call = callOf(route, world, own, {}, {})
    const signed = desk.headersFor(route, String(call.init.body))
    return { ...call, init: { ...call.init, headers: { ...call.init.headers, ...signed } } }
  }
  const headers = route.auth.kind === 'platform_admin' ? { 'x-admin-key': key } : { cookie }
  return callOf(route, world, own, headers as Record<string, string>, {})
}

test('there are writes that cannot be tried', () => {
  expect(writes.length).toBeGreaterThan(30)
})

test.each(writes.map((route) => ({ id: route.id, route })))(
  'K22 SYS-G5 $id refuses dry_run=true with its own status for invalid input and writes nothing',
  async ({ route }) => {
    const { path, init } = goodCall(route)
    const response = await server.get(`${path}${path.includes('?') ? '&' : '?'}dry_run=true`, init)
    const answer = [response.status, await response.json()]
    expect(answer).toEqual([route.invalid ?? 422, { detail: 'dry_run: is not possible here' }])
    expect(await everything()).toBe(before)
  },
)
