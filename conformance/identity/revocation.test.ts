import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from '@crewhall/testkit/people.ts'
import { scaled } from '@crewhall/testkit/rounds.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { type Member, World } from '@crewhall/testkit/world/world.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'

// Two processes on one database, and a right that is taken away through one of them. Before each try the
// other process has answered the caller, so that it remembers them and would let them in from memory.
// What a session variable on a pooled connection would do is shown beside the pool, in brand.pg.test.ts.

const server = useServer('probe')
const at = new World(server)
let second: ServerProcess
beforeAll(async () => {
  second = await server.start('api')
})

const lanes = 10
/** The naive twin fails every time. */
const tries = scaled(1000, 100)
const everyTime = `${tries.toLocaleString('en')} times of ${tries.toLocaleString('en')}`
const member = '/api/v1/probe/auth/member'
const things = '/api/v1/probe/auth/things'
const roleIn = (brand: number) => `/api/v1/probe/auth/brands/${brand}/role`

const urlOf = (n: number) => (n % 2 === 0 ? server.api.url : second.url)
async function status(n: number, path: string, init: RequestInit): Promise<number> {
  const response = await fetch(`${urlOf(n)}${path}`, init)
  await response.arrayBuffer()
  return response.status
}

/** Tries in several workspaces at once, one after the other in each: no other try moves its epoch meanwhile. */
async function counted(
  tries: number,
  role: 'admin' | 'member',
  prepare: (who: Member, lane: number) => Promise<(n: number) => Promise<number | string>>,
): Promise<Record<string, number>> {
  const seen: Record<string, number> = {}
  const run = async (lane: number) => {
    const attempt = await prepare(await at.join(await at.newBrand(), role), lane)
    for (let n = 0; n < tries / lanes; n += 1) {
      const outcome = await attempt(n)
      seen[outcome] = (seen[outcome] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: lanes }, (_, lane) => run(lane)))
  return seen
}

/** Known to both processes; otherwise the try is worth nothing and is counted as such. */
async function known(path: string, init: RequestInit): Promise<boolean> {
  return (await status(0, path, init)) < 300 && (await status(1, path, init)) < 300
}

const revocations = (tries: number) =>
  counted(tries, 'member', async (who) => {
    const issued = await at.newTokens(who, [], tries / lanes)
    const cookie = await at.newCookie(who.person_id, who.brand_id)
    return async (n) => {
      const { id, token } = issued[n] ?? { id: '', token: '' }
      const call = { headers: bearer(token) }
      if (!(await known(member, call))) return 'not warm'
      const path = `/api/v1/brands/${who.brand_id}/tokens/${id}`
      if ((await status(n, path, { method: 'DELETE', headers: { cookie } })) !== 200) return 'not revoked'
      return status(n + 1, member, call)
    }
  })

test(`AUTH-11 AUTH-G13 a token revoked through one process is refused by the other on the next request, ${everyTime}`, async () => {
  expect(await revocations(tries)).toEqual({ 401: tries })
})

test(`AUTH-G15 a removed member is refused by either process on the next request, ${everyTime}`, async () => {
  const set = (who: Member, to: string) =>
    at.sql('update identity.memberships set status = $3 where brand_id = $1 and person_id = $2', [
      who.brand_id,
      who.person_id,
      to,
    ])
  const seen = await counted(tries, 'member', async (who) => {
    const call = { headers: bearer(await at.newToken(who)) }
    return async (n) => {
      if (!(await known(member, call))) return 'not warm'
      await set(who, 'removed')
      const outcome = await status(n, member, call)
      await set(who, 'active')
      return outcome
    }
  })
  expect(seen).toEqual({ 401: tries })
})

test(`AUTH-30 a demoted admin is refused by either process on the next request, ${everyTime}`, async () => {
  const set = (who: Member, to: string) =>
    at.sql('update identity.memberships set role = $3 where brand_id = $1 and person_id = $2', [
      who.brand_id,
      who.person_id,
      to,
    ])
  const seen = await counted(tries, 'admin', async (who) => {
    const call = { method: 'PUT', headers: bearer(await at.newToken(who)) }
    const path = roleIn(who.brand_id)
    return async (n) => {
      if (!(await known(path, call))) return 'not warm'
      await set(who, 'member')
      const outcome = await status(n, path, call)
      await set(who, 'admin')
      return outcome
    }
  })
  expect(seen).toEqual({ 403: tries })
})

const signOuts = () =>
  counted(100, 'member', async (who) => async (n) => {
    const cookie = await at.newCookie(who.person_id, who.brand_id)
    const call = json({ name: 'x' }, { cookie })
    if (!(await known('/api/v1/probe/auth/session', call))) return 'not warm'
    const out = await status(n, '/api/v1/auth/sign-out', { method: 'POST', headers: { cookie } })
    if (out !== 200) return 'not signed out'
    return status(n + 1, '/api/v1/probe/auth/session', call)
  })

test('AUTH-13 a session signed out through one process is refused by the other on the next request', async () => {
  expect(await signOuts()).toEqual({ 401: 100 })
})

test('AUTH-G10 a narrowed ceiling is felt in either process on the next request', async () => {
  const set = (who: Member, ceiling: readonly string[]) =>
    at.sql('update identity.brands set scope_ceiling = $2 where id = $1', [who.brand_id, ceiling])
  const seen = await counted(100, 'member', async (who) => {
    const call = { headers: bearer(await at.newToken(who, ['memory:read'])) }
    return async (n) => {
      await set(who, ['memory:read'])
      if (!(await known(things, call))) return 'not warm'
      await set(who, [])
      return status(n, things, call)
    }
  })
  expect(seen).toEqual({ 403: 100 })
})

/** Sends each request to the next process in turn, as a load balancer would. */
function roundRobin(): Server {
  let turn = 0
  return createServer((asked: IncomingMessage, reply) => {
    turn += 1
    const { method = 'GET', headers, url = '/' } = asked
    const sent = request(`${urlOf(turn)}${url}`, { method, headers }, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, { ...answer.headers, 'x-turn': String(turn % 2) })
      answer.pipe(reply)
    })
    asked.pipe(sent)
  })
}
const balancer = roundRobin()
afterAll(() => {
  balancer.closeAllConnections()
  balancer.close()
})

test('AUTH-11 behind a balancer that takes turns, no request after the revocation gets through', async () => {
  await new Promise<void>((done) => balancer.listen(0, '127.0.0.1', done))
  const base = `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`
  const who = await at.join(await at.newBrand(), 'member')
  const issued = await at.newTokens(who, [], 20)
  const turns = new Set<string | null>()
  for (const { id, token } of issued) {
    const ask = async () => {
      const response = await fetch(`${base}${member}`, { headers: bearer(token) })
      turns.add(response.headers.get('x-turn'))
      return response.status
    }
    expect([await ask(), await ask()]).toEqual([200, 200])
    const path = `${base}/api/v1/brands/${who.brand_id}/tokens/${id}`
    expect((await fetch(path, { method: 'DELETE', headers: bearer(token) })).status).toBe(200)
    expect([await ask(), await ask(), await ask()]).toEqual([401, 401, 401])
  }
  expect(turns).toEqual(new Set(['0', '1']))
})

test('the naive twin, a memory whose epoch and version nobody checks, lets revoked tokens and ended sessions in', async () => {
  const name = `'platform.enter_brand(int, bigint, timestamptz, bigint, int)'::regprocedure`
  const [original] = await at.sql<{ text: string }>(`select pg_get_functiondef(${name}) as text`)
  const owner = await server.connection('owner')
  await owner.query(`create or replace function platform.enter_brand(brand int, epoch bigint, until timestamptz, session bigint, session_version int)
    returns void language plpgsql as $$ begin perform set_config('app.brand_id', brand::text, true); end $$`)
  try {
    expect(await revocations(100)).toEqual({ 200: 100 })
    expect(await signOuts()).toEqual({ 200: 100 })
  } finally {
    await owner.query(original?.text ?? '')
    await owner.end()
  }
  expect(await revocations(100)).toEqual({ 401: 100 })
})
