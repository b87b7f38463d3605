import { routes } from '@crewhall/contracts/routes.ts'
import { askRedis, marksIn, queueText, redisText } from '@crewhall/testkit/canary.ts'
import { runMatrix } from '@crewhall/testkit/matrix/matrix.ts'
import type { World } from '@crewhall/testkit/matrix/part.ts'
import { startTappedServer, type TappedServer } from '@crewhall/testkit/matrix/server.ts'
import type { Rewrite } from '@crewhall/testkit/matrix/tap.ts'
import { createWorld } from '@crewhall/testkit/matrix/world.ts'
import { newToken } from '@crewhall/testkit/people.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'

// Leaks are planted in the statements on their way to Postgres, where a mistake in the source would put them.
let server: TappedServer
let world: World
beforeAll(async () => {
  server = await startTappedServer()
  world = await createWorld(server.get, server.admin)
})
afterAll(() => server.close())
afterEach(() => plant([]))

const me = () => server.get('/api/v1/me', { headers: { cookie: world.admins.one.cookie } })

async function plant(rewrites: readonly Rewrite[]): Promise<void> {
  server.tap.rewrite(rewrites)
  await waitFor(async () => (await me()).status === 200 || undefined, 30_000)
}

const { switchBrand, listTokens, createToken, revokeToken, rotateToken } = routes.identity
const { listOwnSessions, endOwnSession, endOtherSessions, changePassword } = routes.identity
const ofTokens = [switchBrand, listTokens, createToken, revokeToken, rotateToken]
const all = [...ofTokens, listOwnSessions, endOwnSession, endOtherSessions, changePassword]
const faultsOf = async (specs: (typeof all)[number][], callers: readonly string[], on = server) =>
  (
    await runMatrix(on, world, specs, {
      callersOf: () => world.callers.filter(({ name }) => callers.includes(name)),
    })
  ).faults

/** The door of a brand opens all of them, so that only the statement itself keeps workspaces apart. */
const openDoor: Rewrite = {
  find: 'select platform.enter_brand($1, $2, $3, $4, $5)',
  put: `select set_config('app.system', 'on', true), $1::int, $2::bigint, $3::timestamptz, $4::bigint, $5::int`,
}

test('the matrix finds nothing when nothing is planted', async () => {
  const callers = [
    'admin, session',
    'admin, token',
    'guest, session',
    'expired token',
    'removed member, token',
  ]
  expect(await faultsOf(all, callers)).toEqual([])
})

describe('the matrix catches', () => {
  test.each<[string, Rewrite[], (typeof all)[number], string, RegExp]>([
    [
      'a door that stays open on its pooled connection',
      [
        {
          find: openDoor.find,
          put: `select set_config('app.brand_id', $1::text, false), $2::bigint, $3::timestamptz`,
        },
      ],
      listTokens,
      'admin, session',
      /without a door: select set_config\('app\.brand_id'/,
    ],
    [
      'a look-up that lets expired tokens in',
      [
        {
          find: `'hex') and t.revoked_at is null and t.expires_at > platform.now()`,
          put: `'hex') and t.revoked_at is null`,
        },
      ],
      listTokens,
      'expired token',
      /200, not 401$/,
    ],
    [
      'a look-up that lets revoked tokens in',
      [{ find: `'hex') and t.revoked_at is null and`, put: `'hex') and` }],
      listTokens,
      'revoked token',
      /200, not 401$/,
    ],
    [
      'a look-up that lets tokens of removed members in',
      [{ find: `(m.status = 'active' or (m.status = 'service' and m.agent_id = t.agent_id))`, put: 'true' }],
      listTokens,
      'removed member, token',
      /200, not 401$/,
    ],
    [
      'a look-up that lets sessions of removed members in',
      [{ find: `m.person_id = s.person_id and m.status = 'active'`, put: 'm.person_id = s.person_id' }],
      listTokens,
      'removed member, session',
      /200, not 404$/,
    ],
    [
      'a look-up that lets ended sessions in',
      [{ find: 's.token_hash = $1 and s.expires_at > platform.now()', put: 's.token_hash = $1' }],
      listTokens,
      'expired session',
      /200, not 401$/,
    ],
    [
      'a switch to a workspace that the person does not belong to',
      [{ find: 'm.person_id = $1 and m.brand_id = $2', put: '$1::int is not null and m.brand_id = $2' }],
      switchBrand,
      'guest, session',
      /200, not 404$/,
    ],
    [
      'an end of a session that forgets whose it is',
      [
        {
          find: 'delete from identity.sessions where person_id = $1 and id = $2',
          put: 'delete from identity.sessions where $1::int > 0 and id = $2',
        },
      ],
      endOwnSession,
      'guest, session',
      /200, not 404$/,
    ],
    [
      'a list that forgets its workspace behind an open door',
      [openDoor, { find: 't.brand_id = $1 and ($2::int', put: '$1::int is not null and ($2::int' }],
      listTokens,
      'admin, session',
      /the answer holds threemark/,
    ],
    [
      'a rotation that forgets workspace and person behind an open door',
      [
        openDoor,
        {
          find: 't.brand_id = $1 and t.id = $2 and t.person_id = $3',
          put: '$1::int > 0 and t.id = $2 and $3::int > 0',
        },
        {
          find: 't.brand_id = $4 and t.id = $5 and t.person_id = $6',
          put: '$4::int > 0 and t.id = $5 and $6::int > 0',
        },
      ],
      rotateToken,
      'admin, session',
      /statements tell a foreign id from a missing one/,
    ],
    [
      'a revocation that forgets its workspace behind an open door',
      [
        openDoor,
        {
          find: 't.brand_id = $1 and t.id = $2 and t.revoked',
          put: '$1::int > 0 and t.id = $2 and t.revoked',
        },
        { find: 't.brand_id = $1 and t.id = coalesce(', put: '$1::int > 0 and t.id = coalesce(' },
        {
          find: 't.brand_id = $1 and t.id in (select id from branch)',
          put: '$1::int > 0 and t.id in (select id from branch)',
        },
      ],
      revokeToken,
      'admin, session',
      /200, not 404$/,
    ],
  ])('%s', async (_, rewrites, spec, caller, fault) => {
    const before = server.tap.rewritten()
    await plant(rewrites)
    const faults = await faultsOf([spec], [caller])
    expect(server.tap.rewritten()).toBeGreaterThan(before)
    expect(faults).toContainEqual(expect.stringMatching(fault))
  })

  const withForeign = (change: (response: Response) => Response | Promise<Response>): TappedServer => ({
    ...server,
    async get(path, init) {
      const response = await server.get(path, init)
      return path.includes(`/brands/${world.brands.three}/`) ? change(response) : response
    },
  })
  test.each<[string, (response: Response) => Response | Promise<Response>, RegExp]>([
    [
      'an answer that words a foreign workspace otherwise',
      ({ status, headers }) => new Response('{"detail":"Not your brand"}', { status, headers }),
      /: body tell/,
    ],
    [
      'a header that only foreign workspaces have',
      ({ status, body, headers }) => new Response(body, { status, headers: [...headers, ['etag', '"1"']] }),
      /: headers tell/,
    ],
    [
      'a statement that is sent for foreign workspaces only',
      async (response) => {
        await (await me()).text()
        return response
      },
      /: statements tell/,
    ],
  ])('%s', async (_, change, fault) => {
    const faults = await faultsOf([listTokens], ['admin, session'], withForeign(change))
    expect(faults).toEqual([expect.stringMatching(fault)])
  })
})

describe('a token used after its end is let in, and so caught, when', () => {
  /** What a token that was used before is answered right after it was revoked. */
  async function afterRevocation(): Promise<number> {
    const { cookie, id: person_id } = world.admins.one
    const owner = { cookie, person_id, brand_id: world.brands.one, email: '', password: '' }
    const { id, token } = await newToken(server.get, owner, [])
    const path = `/api/v1/brands/${owner.brand_id}/tokens`
    expect((await server.get(path, { headers: bearer(token) })).status).toBe(200)
    const revoke = { method: 'DELETE', headers: { cookie } }
    expect((await server.get(`${path}/${id}`, revoke)).status).toBe(200)
    return (await server.get(path, { headers: bearer(token) })).status
  }

  test('nothing is planted: it is refused', async () => {
    expect(await afterRevocation()).toBe(401)
  })

  test('the trigger that raises the epoch is gone', async () => {
    await server.admin.query('alter table identity.tokens disable trigger raise_epoch')
    try {
      expect(await afterRevocation()).toBe(200)
    } finally {
      await server.admin.query('alter table identity.tokens enable trigger raise_epoch')
    }
  })

  test('the epoch of a remembered caller is not looked at', async () => {
    const put =
      'select platform.enter_brand($1, null, null, null, null), $2::bigint, $3::timestamptz, $4::bigint, $5::int'
    await plant([{ find: openDoor.find, put }])
    expect(await afterRevocation()).toBe(200)
  })
})

describe('the canary', () => {
  // Postgres quotes the value of a row in both messages; only the first kind is about data, and cut by the log.
  test.each([
    ['is not found in a line of the log about a value that does not fit', 'int', '22P02', 0],
    ['is found in a line of the log about a name that does not exist', 'regclass', '42', 1],
  ])('%s', async (_, type, code, count) => {
    await plant([
      { find: 't.id, t.name, t', put: `t.id, replace(t.name, ' ', '')::${type}::text as name, t` },
    ])
    const path = `/api/v1/brands/${world.brands.one}/tokens`
    const { cookie } = world.admins.one
    expect((await server.get(path, { headers: { cookie } })).status).toBe(500)
    const line = await waitFor(
      () => server.api.lines.find((each) => each.includes(`"code":"${code}`)),
      20_000,
    )
    expect(marksIn(line, [world.marks.one])).toHaveLength(count)
  })

  const marks = () => [world.marks.three]

  test('is found in a value of Redis', async () => {
    const key = `${server.database.name}:planted`
    await askRedis('HSET', key, 'name', `W ${world.marks.three}`)
    expect(marksIn(await redisText(server.database.name), marks())).toEqual(marks())
    await askRedis('DEL', key)
    expect(marksIn(await redisText(server.database.name), marks())).toEqual([])
  })

  test('is found in a row of the queue', async () => {
    await server.admin.query('begin')
    await server.admin.query(
      `insert into pgboss.job (name, data) select name, jsonb_build_object('x', $1::text) from pgboss.queue limit 1`,
      [world.marks.three],
    )
    expect(marksIn(await queueText(server.admin), marks())).toEqual(marks())
    await server.admin.query('rollback')
    expect(marksIn(await queueText(server.admin), marks())).toEqual([])
  })
})
