import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { json } from '@crewhall/testkit/people.ts'
import { compiled, root } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import type { FixtureSet } from '../../tools/fixtures/fixture-set.ts'

interface Fixtures extends FixtureSet {
  readonly base_url: string
  readonly admin_key: string
  readonly admin_key_digests: string
}

const key = 'key-of-the-fixtures'
const digest = createHash('sha256').update(key).digest('hex')
const server = useServer('product', { ADMIN_KEY_DIGESTS: digest })
const get = (path: string, init?: RequestInit) => server.get(path, init)

async function run(entry: string, args: readonly string[], input = '') {
  const child = spawn(process.execPath, [entry, ...args], {
    cwd: root,
    env: {
      ...compiled,
      PATH: process.env.PATH,
      DATABASE_URL: server.database.url,
      REDIS_URL: 'redis://127.0.0.1:1',
    },
  })
  child.stdin.end(input)
  const ended = once(child, 'close')
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = await ended
  return { code: code as number, stdout, stderr }
}

const runFixtures = (...more: string[]) =>
  run('tools/fixtures/fixtures.ts', ['--json', '--base-url', server.api.url, ...more])

describe('fixtures', () => {
  let set: Fixtures
  let output: string
  beforeAll(async () => {
    const { code, stdout, stderr } = await runFixtures('--admin-key', key)
    expect([code, stderr]).toEqual([0, ''])
    output = stdout
    set = JSON.parse(stdout) as Fixtures
  })
  const me = async (init: RequestInit) => {
    const response = await get('/api/v1/me', init)
    return { status: response.status, body: await response.json() }
  }

  const brandIds = async () => {
    const page = await get('/api/v1/admin/brands?limit=100', { headers: { 'x-admin-key': key } })
    return ((await page.json()) as { brands: { id: number }[] }).brands.map(({ id }) => id)
  }

  test('one line of JSON is all that is printed', () => {
    expect(output.split('\n')).toHaveLength(2)
    expect(set).toMatchObject({ base_url: server.api.url, admin_key: key, admin_key_digests: digest })
  })

  test('every session is what it is said to be', async () => {
    for (const [name, { cookie, person_id, email, brand_id }] of Object.entries(set.people)) {
      const answer = await me({ headers: { cookie } })
      const person = { id: person_id, email, is_staff: name === 'staff' }
      expect([name, answer]).toMatchObject([name, { status: 200, body: { person, brand_id } }])
    }
  })

  test('every person can sign in with the password', async () => {
    for (const { email, password } of Object.values(set.people)) {
      expect((await get('/api/v1/auth/sign-in', json({ email, password }))).status).toBe(200)
    }
  })

  test('every live token works with its scopes in its workspace', async () => {
    const live = Object.entries(set.tokens).filter(([, { state }]) => state === 'live')
    expect(live).toHaveLength(18)
    for (const [name, { token, brand_id, person_id, scopes }] of live) {
      const answer = await me({ headers: bearer(token) })
      const body = { brand_id, scopes, person: { id: person_id }, credential: 'token' }
      expect([name, answer]).toMatchObject([name, { status: 200, body }])
    }
  })

  test('every agent belongs to its workspace, and has a token', async () => {
    for (const [name, { brand_id, agent_id }] of Object.entries(set.agents)) {
      const { cookie } = name.startsWith('north') ? set.people.north_admin : set.people.south_admin
      const response = await get(`/api/v1/agents/${agent_id}`, { headers: { cookie } })
      const side = name.startsWith('north') ? set.brands.north.id : set.brands.south.id
      expect([name, response.status, brand_id]).toEqual([name, 200, side])
    }
    const { body } = await me({ headers: bearer(set.tokens.north_builder?.token ?? '') })
    expect(body).toMatchObject({ agent: 'Builder', agent_id: 'builder' })
  })

  test('every agent has memories of all kinds, and each is what it is said to be', async () => {
    for (const [name, { agent_id }] of Object.entries(set.agents)) {
      const headers = bearer(set.tokens[name]?.token ?? '')
      const read = async (path: string, method = 'GET') =>
        (await (await get(`/api/v1/memory${path}`, { method, headers })).json()) as Record<string, unknown>
      const made = set.memories[name] ?? []
      expect(new Set(made.map(({ kind }) => kind)).size).toBe(6)
      for (const { id, kind, title, state: status, is_locked } of made) {
        const expected = status === 'deleted' ? {} : { agent_id, kind, title, status, is_locked }
        expect(await read(`/memories/${id}`)).toMatchObject(expected)
      }
      const found = await read(`/agents/${agent_id}/context?format=json&limit=50`, 'POST')
      const active = made.filter(({ state }) => state === 'active')
      expect((found.memories as { id: string }[]).map(({ id }) => id).sort()).toEqual(
        active.map(({ id }) => id).sort(),
      )
      const gone = made.find(({ state }) => state === 'deleted')
      expect(await read(`/memories/${gone?.id}/history`)).toMatchObject({
        changes: [{ action: 'deleted' }, { action: 'updated' }, { action: 'created' }],
      })
    }
  })

  test('AUTH-G15 the expired token, the revoked one and that of a removed member are 401', async () => {
    const dead = Object.values(set.tokens).filter(({ state }) => state !== 'live')
    expect(dead.map(({ state }) => state).sort()).toEqual(['expired', 'of_removed_member', 'revoked'])
    for (const { token } of dead) expect((await me({ headers: bearer(token) })).status).toBe(401)
  })

  test('the admin key and the session of staff are let in as platform admins', async () => {
    for (const headers of [{ 'x-admin-key': set.admin_key }, { cookie: set.people.staff.cookie }]) {
      expect((await get('/api/v1/admin/plans', { headers })).status).toBe(200)
    }
  })

  test('the workspaces have different plans and policies', () => {
    expect(set.brands.north).toMatchObject({ plan_key: 'business' })
    expect(set.brands.north.scope_ceiling).toContain('brand:admin')
    expect(set.brands.south).toMatchObject({ plan_key: 'free' })
    expect(set.brands.south.scope_ceiling).not.toContain('brand:admin')
  })

  test('a second run makes a second set beside the first', async () => {
    const { code, stdout } = await runFixtures('--admin-key', key)
    expect(code).toBe(0)
    const second = JSON.parse(stdout) as Fixtures
    const credentials = ({ people, tokens, brands }: Fixtures) => [
      ...Object.values(people).flatMap(({ email, cookie, person_id }) => [email, cookie, `p${person_id}`]),
      ...Object.values(tokens).map(({ token }) => token),
      ...Object.values(brands).map(({ id }) => `b${id}`),
    ]
    const all = [...credentials(set), ...credentials(second)]
    expect(new Set(all).size).toBe(all.length)
    expect((await me({ headers: { cookie: set.people.north_admin.cookie } })).status).toBe(200)
  })

  test('without a key that the server knows, nothing is made and the setting is told', async () => {
    const before = await brandIds()
    const { code, stdout, stderr } = await runFixtures()
    expect([code, stdout]).toEqual([1, ''])
    expect(await brandIds()).toEqual(before)
    const [, setting = '', given = ''] = /ADMIN_KEY_DIGESTS=(\w+)[\s\S]*--admin-key (\S+)/.exec(stderr) ?? []
    expect(createHash('sha256').update(given).digest('hex')).toBe(setting)
  })
})

describe('the first platform admin', () => {
  const create = (args: readonly string[], input?: string) =>
    run('apps/server/src/create-staff.ts', args, input)
  const enter = async (email: string, password: string) => {
    const response = await get('/api/v1/auth/sign-in', json({ email, password }))
    const cookie = response.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    return (await get('/api/v1/admin/plans', { headers: { cookie } })).status
  }

  test('is made with the password from the input, which is not printed', async () => {
    const made = await create(['--email', 'First@example.test', '--name', 'Ann First'], 'from the input\n')
    expect([made.code, made.stderr]).toEqual([0, ''])
    expect(made.stdout).not.toContain('from the input')
    expect(await enter('first@example.test', 'from the input')).toBe(200)
  })

  test('is made with a password that is printed once when none is given', async () => {
    const args = ['--email', 'second@example.test', '--name', 'Ann Second']
    const [, password = ''] = /shown only once\): (\S+)/.exec((await create(args)).stdout) ?? []
    expect(await enter('second@example.test', password)).toBe(200)
    const again = await create(args, 'another password')
    expect([again.code, again.stdout.includes('shown only once')]).toEqual([0, false])
    expect(await enter('second@example.test', password)).toBe(200)
    expect(await enter('second@example.test', 'another password')).toBe(401)
  })

  test('S1: takes over an account whose address nobody has proven', async () => {
    const email = 'stranger@example.test'
    const order = { email, password: 'of the stranger', full_name: 'Ann', brand_name: 'Own' }
    const response = await get('/api/v1/auth/sign-up', json(order))
    const cookie = response.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    const made = await create(['--email', email, '--name', 'Ann'], 'of the operator')
    expect([made.code, made.stdout]).toEqual([0, expect.stringContaining('the password was replaced')])
    expect((await get('/api/v1/me', { headers: { cookie } })).status).toBe(401)
    expect(await enter(email, 'of the stranger')).toBe(401)
    expect(await enter(email, 'of the operator')).toBe(200)
  })

  test.each([
    [['--email', 'third@example.test', '--name', 'Ann'], 'short'],
    [['--email', 'not an address', '--name', 'Ann'], 'long enough'],
    [['--email', 'third@example.test'], 'long enough'],
  ])('is not made from %j', async (args, input) => {
    expect((await create(args, input)).code).toBe(64)
    expect(await enter('third@example.test', input)).toBe(401)
  })
})
