import { hash } from 'node:crypto'
import { sendBeat } from '@crewhall/contracts/fleet/desk-agent.ts'
import * as refused from '@crewhall/contracts/fleet/refusals.ts'
import { DeskCaller, type Twist } from '@crewhall/testkit/desk-caller.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { call } from '@crewhall/testkit/world/call.ts'
import { beforeAll, expect, test } from 'vitest'
import { asDesk, beat, join, report } from './desk-agent.ts'
import { DeskWorkspace, nowhere } from './desk-workspace.ts'

const server = useServer('product', { DESK_NETWORKS: '127.0.0.0/8' })
const { get } = server
let at: DeskWorkspace
beforeAll(async () => {
  at = await DeskWorkspace.open(server)
})

async function joined(): Promise<DeskCaller> {
  const { workstation_id, pat } = await at.ordered()
  const desk = new DeskCaller(workstation_id, pat)
  const { status } = await join(get, desk)
  if (status !== 200) throw new Error(`joining was refused with ${status}`)
  return desk
}
const reasonOf = async (id: string) =>
  (await at.show(id)).body.onboarding_steps.find(({ done }) => !done)?.reason

test('DESK-40, DESK-61, DESK-G12: beats of a desk go as far as the health check, and never make it ready', async () => {
  const desk = await joined()
  expect((await beat(get, desk, { link_age_s: null })).body).toEqual({
    next_in_s: 15,
    hire: null,
    commands: [],
    time: expect.any(String),
  })
  expect(await reasonOf(desk.desk_id)).toBe('awaiting_wg_peer')
  for (let count = 0; count < 5; count += 1) expect((await beat(get, desk)).status).toBe(200)
  expect(await reasonOf(desk.desk_id)).toBe('awaiting_first_health_check')
  expect((await at.show(desk.desk_id)).body).toMatchObject({ status: 'provisioning', ready: false })
})

test('ENV-16, ENV-40, ENV-G11: what a desk reports of its files and its login is shown', async () => {
  const desk = await joined()
  await beat(get, desk, { pending_sync_count: 7, login_expired: true })
  const { body } = await at.change(desk.desk_id, {})
  expect(body).toMatchObject({ pending_sync_count: 7, last_seen_at: expect.any(String) })
  const expired = { workstation_id: desk.desk_id, name: 'Desk', runtime: 'claude_code' }
  expect((await at.logins()).body.expired).toContainEqual(expired)
  await beat(get, desk, { pending_sync_count: 0 })
  expect((await at.logins()).body.expired).not.toContainEqual(expired)
})

test('a beat that says nothing new writes nothing', async () => {
  const desk = await joined()
  const version = async () =>
    (await at.world.sql('select xmin::text, ctid::text from fleet.desks where id = $1', [desk.desk_id]))[0]
  await beat(get, desk)
  const before = await version()
  for (let count = 0; count < 10; count += 1) expect((await beat(get, desk)).status).toBe(200)
  expect(await version()).toEqual(before)
})

test('a beat is taken once: the same again, and one that was overtaken, are refused', async () => {
  const desk = await joined()
  const text = JSON.stringify(report)
  const headers = { 'content-type': 'application/json', ...desk.headersFor(sendBeat, text) }
  const send = () => call(get, null, 'POST', sendBeat.path, text, headers)
  expect((await send()).status).toBe(200)
  expect(await send()).toEqual(
    expect.objectContaining({ status: 401, body: { detail: refused.sequenceUsed.text } }),
  )
  const created = Math.floor(Date.now() / 1000) - 5
  expect((await beat(get, desk, {}, { sequence: 1, created })).status).toBe(401)
  expect((await beat(get, desk)).status).toBe(200)
})

test('of the same beat sent 20 times at once one is taken', async () => {
  const desk = await joined()
  const text = JSON.stringify(report)
  const headers = { 'content-type': 'application/json', ...desk.headersFor(sendBeat, text) }
  const sent = await Promise.all(
    Array.from({ length: 20 }, () => call(get, null, 'POST', sendBeat.path, text, headers)),
  )
  expect(sent.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(401)])
})

test.each<[string, Twist, typeof refused.clockOff | undefined]>([
  ['an old time', { created: -301 }, refused.clockOff],
  ['a time of the future', { created: 301 }, refused.clockOff],
  ['the id of no desk', { key_id: nowhere }, undefined],
  ['another path', { path: '/api/v1/desk-agent/register' }, undefined],
])('a beat with %s is refused with 401', async (_, { created = 0, ...twist }, kind) => {
  const desk = await joined()
  const answer = await beat(get, desk, {}, { ...twist, created: Math.floor(Date.now() / 1000) + created })
  expect([answer.status, answer.body.detail]).toEqual([401, kind?.text ?? 'Not authenticated'])
})

test('a beat whose body is not what was signed is refused with 422, and nothing of it counts', async () => {
  const desk = await joined()
  const sent = JSON.stringify({ ...report, pending_sync_count: 99 })
  const { status, body } = await beat(get, desk, {}, { sent })
  expect([status, body.detail]).toEqual([422, 'Content-Digest: is not the digest of the body'])
  expect((await at.change(desk.desk_id, {})).body.pending_sync_count).toBe(0)
})

test('a beat is refused without a signature, with the token, and with the key of another desk', async () => {
  const [desk, other] = [await joined(), await joined()]
  const path = sendBeat.path
  expect((await call(get, null, 'POST', path, report)).status).toBe(401)
  expect((await call(get, { token: desk.secret }, 'POST', path, report)).status).toBe(401)
  expect((await call(get, { cookie: at.cookie }, 'POST', path, report)).status).toBe(401)
  expect((await beat(get, other, {}, { key_id: desk.desk_id })).status).toBe(401)
})

test('DESK-34, DESK-G10: a released desk is told so with its next beat, and nobody else is', async () => {
  const desk = await joined()
  await beat(get, desk)
  expect((await at.call('DELETE', `/workstations/${desk.desk_id}`)).status).toBe(200)
  const answer = await beat(get, desk)
  expect([answer.status, answer.body.detail]).toEqual([410, refused.deskReleased.text])
  expect((await beat(get, new DeskCaller(desk.desk_id, desk.secret))).status).toBe(401)
  expect((await at.show(desk.desk_id)).status).toBe(404)
})

test('a key that was replaced is out with the next beat', async () => {
  const desk = await joined()
  expect((await beat(get, desk)).status).toBe(200)
  const { body } = await at.call<{ pat: string }>('POST', `/workstations/${desk.desk_id}/regenerate-pat`)
  expect((await beat(get, desk)).status).toBe(200)
  const next = new DeskCaller(desk.desk_id, body.pat)
  expect((await join(get, next)).status).toBe(200)
  expect((await beat(get, desk)).status).toBe(401)
  expect((await beat(get, next)).status).toBe(200)
})

test('a new process takes over, and what the old one has sent before that only comes late', async () => {
  const desk = await joined()
  await beat(get, desk)
  const created = Math.floor(Date.now() / 1000) - 10
  const restarted = desk.again()
  expect((await beat(get, restarted)).status).toBe(200)
  expect((await beat(get, desk, {}, { created })).status).toBe(401)
  expect((await beat(get, restarted)).status).toBe(200)
})

test('check 19: two machines with one key are quarantined with the third beat, until one joins with a new key', async () => {
  const desk = await joined()
  const copy = desk.again()
  const created = Math.floor(Date.now() / 1000)
  expect((await beat(get, desk, {}, { created: created - 30 })).status).toBe(200)
  expect((await beat(get, copy, {}, { created: created - 20 })).status).toBe(200)
  for (const each of [desk, copy, desk]) {
    const { status, body } = await beat(get, each, {}, { created })
    expect([status, body.detail]).toEqual([409, refused.deskQuarantined.text])
  }
  expect((await at.audited()).filter((action) => action === 'desk.quarantined')).toHaveLength(1)
  expect((await at.events()).filter((type) => type === 'desk.quarantined')).toHaveLength(1)
  const [entry] = await at.world.sql(
    `select actor_kind, actor_name, new_value from platform.audit_entries where action = 'desk.quarantined' and brand_id = $1`,
    [at.brand_id],
  )
  const key = hash('sha256', Buffer.from(desk.public_key, 'base64url'))
  expect(entry).toEqual({ actor_kind: 'desk', actor_name: desk.desk_id, new_value: { key } })
  const step = (await at.show(desk.desk_id)).body.onboarding_steps.find(({ done }) => !done)
  expect(step).toMatchObject({ key: 'sidecar_up', state: 'failed', reason: 'misrouted' })
  expect(step?.hint).toContain('Two machines use the key')

  const { body } = await at.call<{ pat: string }>('POST', `/workstations/${desk.desk_id}/regenerate-pat`)
  const next = new DeskCaller(desk.desk_id, body.pat)
  expect((await join(get, next)).status).toBe(200)
  expect((await beat(get, next)).status).toBe(200)
  expect((await beat(get, copy)).status).toBe(401)
  expect(await reasonOf(desk.desk_id)).toBe('awaiting_first_health_check')
})

test('a beat is held to its form', async () => {
  const desk = await joined()
  for (const body of [
    {},
    { ...report, builds_running: -1 },
    { ...report, version: 'a b' },
    { ...report, results: 1 },
  ])
    expect((await asDesk(get, desk, sendBeat, body)).status).toBe(422)
})
