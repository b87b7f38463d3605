import { allRoutes } from '@crewhall/contracts/routes.ts'
import { DeskCaller, type Twist } from '@crewhall/testkit/desk-caller.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock, type VirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import type { Get } from '@crewhall/testkit/world/call.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { join, report, tell } from './desk-agent.ts'
import { DeskWorkspace, nowhere } from './desk-workspace.ts'

const server = useServer('product')
let clock: VirtualClock
let api: ServerProcess
let at: DeskWorkspace
const get: Get = (path, init) => fetch(`${api.url}${path}`, init)
beforeAll(async () => {
  clock = createVirtualClock(server.database.name)
  api = await server.start('api', { ...clock.env, DESK_NETWORKS: '127.0.0.0/8' })
  at = await DeskWorkspace.open({ sql: server.sql, get })
})
afterAll(() => clock?.close())

const minute = 60_000
let passedS = 0
const pass = async (ms: number) => {
  passedS += ms / 1000
  await clock.advance(ms)
}
/** The clock of the machine goes as ours. */
const now = () => ({ created: Math.floor(Date.now() / 1000) + passedS })
const ordered = async () => {
  const { workstation_id, pat } = await at.ordered()
  return new DeskCaller(workstation_id, pat)
}
const stepsOf = async (id: string) =>
  (await at.show(id)).body.onboarding_steps.map(({ state, reason }) => `${state} ${reason}`)

test('DESK-38, DESK-61, DESK-G12, DESK-G19: a machine joins, and the checklist goes on', async () => {
  const desk = await ordered()
  expect((await stepsOf(desk.desk_id))[0]).toBe('pending awaiting_callback')
  const { status, body } = await join(get, desk, {}, now())
  expect([status, body]).toEqual([
    200,
    {
      env_id: desk.desk_id,
      sidecar_url: 'http://127.0.0.1:8787',
      mesh: null,
      next_in_s: 15,
      command_key: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
    },
  ])
  expect(await stepsOf(desk.desk_id)).toEqual([
    'done null',
    'pending awaiting_wg_peer',
    'blocked blocked_by:wg_register',
    'blocked blocked_by:wg_register',
  ])
  expect((await at.show(desk.desk_id)).body.status).toBe('provisioning')
  expect(await at.events()).toContain('desk.registered')
})

test('check 7: the same key gets the same response for half an hour, and afterwards none', async () => {
  const desk = await ordered()
  const first = await join(get, desk, {}, now())
  await pass(29 * minute)
  expect(await join(get, desk.again(), { sidecar_url: 'http://127.0.0.1:9999' }, now())).toEqual(first)
  expect((await tell(get, desk, { stage: 'wg_up', ok: true })).status).toBe(200)
  await pass(2 * minute)
  expect((await join(get, desk, {}, now())).status).toBe(401)
  expect((await tell(get, desk, { stage: 'wg_up', ok: true })).status).toBe(401)
})

test('check 7: another key is refused, and the workspace is told, once a minute at most', async () => {
  const desk = await ordered()
  expect((await join(get, desk, {}, now())).status).toBe(200)
  const before = (await at.audited()).length
  for (let tries = 0; tries < 3; tries += 1) {
    const { status, body } = await join(get, new DeskCaller(desk.desk_id, desk.secret), {}, now())
    expect([status, body.detail]).toEqual([409, expect.stringContaining('Another machine has joined')])
  }
  expect((await at.audited()).slice(before)).toEqual(['desk.join_refused'])
  expect((await at.events()).at(-1)).toBe('desk.join_refused')
  await pass(31 * minute)
  expect((await join(get, new DeskCaller(desk.desk_id, desk.secret), {}, now())).status).toBe(409)
  expect((await at.audited()).slice(before)).toEqual(['desk.join_refused', 'desk.join_refused'])
})

test('DESK-G11: a replaced token joins nobody, and the new one takes another key', async () => {
  const desk = await ordered()
  expect((await join(get, desk, {}, now())).status).toBe(200)
  const { body } = await at.call<{ pat: string }>('POST', `/workstations/${desk.desk_id}/regenerate-pat`)
  expect((await join(get, desk, {}, now())).status).toBe(401)
  const other = new DeskCaller(desk.desk_id, body.pat)
  expect((await join(get, other, { sidecar_url: 'http://127.0.0.1:8788' }, now())).body.sidecar_url).toBe(
    'http://127.0.0.1:8788',
  )
})

test('a token is refused after a day, and at once after a release', async () => {
  const [late, released] = [await ordered(), await ordered()]
  await at.call('DELETE', `/workstations/${released.desk_id}`)
  expect((await join(get, released, {}, now())).status).toBe(401)
  expect((await tell(get, released, { stage: 'fetched', ok: true })).status).toBe(401)
  await pass(24 * 60 * minute + minute)
  expect((await join(get, late, {}, now())).status).toBe(401)
  expect((await tell(get, late, { stage: 'fetched', ok: true })).status).toBe(401)
})

test.each<[string, Twist & { sent?: string }, number]>([
  ['a body that was changed', { sent: JSON.stringify({ env_id: nowhere }) }, 422],
  ['another path', { path: '/api/v1/desk-agent/beat' }, 401],
  ['an old signature', { created: -301 }, 401],
  ['a signature of the future', { created: 301 }, 401],
  ['another digest', { digest: 'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:' }, 422],
  ['a key that is none', { key_id: '!'.repeat(43) }, 401],
  ['the key of somebody else', { key_id: 'A'.repeat(43) }, 401],
])('a registration with %s is refused', async (_, { created = 0, ...twist }, status) => {
  const desk = await ordered()
  expect((await join(get, desk, {}, { ...twist, created: now().created + created })).status).toBe(status)
  expect((await stepsOf(desk.desk_id))[0]).toBe('pending awaiting_callback')
})

test.each([
  ['another desk', { env_id: nowhere }],
  ['an address outside the networks of desks', { sidecar_url: 'http://169.254.169.254/' }],
  ['a name', { sidecar_url: 'http://localhost:8787' }],
  ['no address, where there is no private network', { sidecar_url: undefined }],
  ['no key of WireGuard', { wg_pub: 'short' }],
])('a registration with %s is refused with 422', async (_, more) => {
  expect((await join(get, await ordered(), more, now())).status).toBe(422)
})

test('DESK-59, DESK-G19: what the installer reports is in the hint', async () => {
  const desk = await ordered()
  expect((await tell(get, desk, { stage: 'preflight', ok: false, exit_code: 6 })).body).toEqual({
    recorded: true,
  })
  const hint = async () => (await at.show(desk.desk_id)).body.onboarding_steps[0]?.hint
  expect(await hint()).toContain('sudo bash')
  await tell(get, desk, { stage: 'bundle_verified', ok: true })
  expect(await hint()).toContain('`bundle_verified`')
  expect((await tell(get, desk, { stage: 'nowhere', ok: true })).status).toBe(422)
})

const closed = allRoutes.filter(({ auth }) => auth.kind !== 'nobody' && auth.kind !== 'desk')

test('neither token nor signature of a desk opens any other route', async () => {
  const desk = await ordered()
  expect((await join(get, desk, {}, now())).status).toBe(200)
  const wrong: string[] = []
  for (const { id, method, path } of closed) {
    const url = path.replaceAll(/\{\w+\}/g, desk.desk_id)
    const body = JSON.stringify(report)
    const shown = { method, path: url, auth: { kind: 'desk', credential: 'join_secret_and_key' } } as const
    const headers = { 'content-type': 'application/json', ...desk.headersFor(shown, body, now()) }
    const response = await get(url, { method, headers, ...(method === 'GET' ? {} : { body }) })
    await response.text()
    if (response.status !== 401) wrong.push(`${id} ${response.status}`)
  }
  expect(closed.length).toBeGreaterThan(100)
  expect(wrong).toEqual([])
})
