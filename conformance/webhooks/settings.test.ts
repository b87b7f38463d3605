import { randomUUID } from 'node:crypto'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { arrived, type Hook, hookEnv, useHookWorld } from './hook-world.ts'

const server = useServer('product', { ...hookEnv, LOG_LEVEL: 'debug' })
const world = useHookWorld(server)
const url = 'https://93.184.215.14/hook/secret-path'
let worker: ServerProcess
beforeAll(async () => {
  worker = await server.start('worker')
})

describe('a webhook', () => {
  test('is told with its secret when it is made, and never with it again', async () => {
    const admin = await world.newAdmin()
    const { status, body } = await admin.call('POST', '', { url, events: ['task.*'], description: 'To us' })
    expect(status).toBe(201)
    const { secret, ...told } = body
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32)
    const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)
    expect(told).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      url,
      events: ['task.*'],
      board_ids: null,
      description: 'To us',
      enabled: true,
      disabled_reason: null,
      failing_since: null,
      old_secret_until: null,
      created_at: moment,
      updated_at: moment,
    })
    expect((await admin.call('GET', `/${told.id}`)).body).toEqual(told)
    expect((await admin.call('GET')).body).toEqual({ items: [told] })
    expect((await admin.call('PATCH', `/${told.id}`, {})).body).not.toHaveProperty('secret')
  })

  test('is changed field by field, and ended', async () => {
    const admin = await world.newAdmin()
    const board = await admin.workspace.board()
    const { id } = await admin.open(url)
    const changes: object[] = [
      { url: `${url}/b` },
      { events: ['board.created', 'run.*'] },
      { board_ids: [board.id] },
      { board_ids: null },
      { description: 'Other' },
      { enabled: false },
      { enabled: true },
    ]
    for (const change of changes) {
      const { status, body } = await admin.call('PATCH', `/${id}`, change)
      expect(status).toBe(200)
      expect(body).toMatchObject(change)
    }
    expect((await admin.call('DELETE', `/${id}`)).body).toEqual({ success: true })
    const gone = await admin.call('GET', `/${id}`)
    expect([gone.status, gone.body]).toEqual([404, { detail: 'Webhook not found' }])
    expect((await admin.call('DELETE', `/${id}`)).status).toBe(404)
  })

  test.each([
    ['no events', { events: [] }, 'events: '],
    ['an unknown event', { events: ['task.exploded'] }, 'events.0: must be an event type, a family'],
    ['no address', { url: '' }, 'url: '],
    ['a long description', { description: 'x'.repeat(501) }, 'description: '],
    ['no boards', { board_ids: [] }, 'board_ids: '],
    ['a board that nobody has', { board_ids: [randomUUID()] }, 'board_ids: must be boards of this workspace'],
  ])('with %s is refused', async (_, wrong, detail) => {
    const admin = await world.newAdmin()
    const made = await admin.call('POST', '', { url, events: ['*'], ...wrong })
    const { id } = await admin.open(url)
    const changed = await admin.call('PATCH', `/${id}`, wrong)
    for (const { status, body } of [made, changed]) {
      expect(status).toBe(422)
      expect(body.detail).toContain(detail)
    }
  })

  test('of a board of another workspace is refused like one of no board', async () => {
    const [admin, other] = [await world.newAdmin(), await world.newAdmin()]
    const [own, foreign] = [await admin.workspace.board(), await other.workspace.board()]
    const { status, body } = await admin.call('POST', '', {
      url,
      events: ['*'],
      board_ids: [own.id, foreign.id],
    })
    expect([status, body.detail]).toEqual([422, 'board_ids: must be boards of this workspace'])
  })

  test('is the twentieth at most, also when several are made at once', async () => {
    const admin = await world.newAdmin()
    const made = await Promise.all(
      Array.from({ length: 25 }, () => admin.call('POST', '', { url, events: ['*'] })),
    )
    expect(made.filter(({ status }) => status === 201)).toHaveLength(20)
    const refused = made
      .filter(({ status }) => status !== 201)
      .map(({ status, body }) => [status, body.detail])
    expect(refused).toEqual(Array(5).fill([409, 'A workspace has at most 20 webhooks']))
    const { body } = await admin.call<{ items: Hook[] }>('GET')
    expect(body.items).toHaveLength(20)
  })
})

test('every change is in the audit log, with the host of the receiver and without path or secret', async () => {
  const [admin, receiver] = [await world.newAdmin(), await world.newReceiver()]
  const hook = await admin.open(`${receiver.url}/secret-path`)
  await admin.workspace.board()
  const { id } = await admin.settled(hook, 'delivered')
  await admin.call('PATCH', `/${hook.id}`, { events: ['task.*'] })
  const { body: rotated } = await admin.call('POST', `/${hook.id}/rotate-secret`)
  await admin.call('POST', `/${hook.id}/test`)
  await admin.call('POST', `/${hook.id}/deliveries/${id}/redeliver`)
  await admin.call('DELETE', `/${hook.id}`)
  const entries = await world.sql<{ action: string; target: string }>(
    'select action, target, old_value, new_value from platform.audit_entries where brand_id = $1 and target = $2 order by id',
    [admin.workspace.owner.brand_id, `webhook:${hook.id}`],
  )
  expect(entries.map(({ action }) => action)).toEqual([
    'webhook.created',
    'webhook.changed',
    'webhook.secret_rotated',
    'webhook.tested',
    'webhook.redelivered',
    'webhook.deleted',
  ])
  const text = JSON.stringify(entries)
  expect(text).toContain(new URL(receiver.url).host)
  for (const hidden of ['secret-path', hook.secret, rotated.secret]) expect(text).not.toContain(hidden)
})

describe('a secret', () => {
  test('is nowhere in logs, queue, answers of lists or clear in the database', async () => {
    const [admin, receiver] = [await world.newAdmin(), await world.newReceiver()]
    const hook = await admin.open(receiver.url)
    const { body: rotated, headers } = await admin.call('POST', `/${hook.id}/rotate-secret`)
    await admin.workspace.board()
    await arrived(receiver, 1)
    // The log is buffered; what is asked about has been written by then.
    const request = headers.get('x-request-id') ?? 'none'
    await waitFor(() => server.api.lines.some((line) => line.includes(request)), 30_000)
    const lists = [(await admin.call('GET')).text, (await admin.call('GET', `/${hook.id}/deliveries`)).text]
    const rows = await world.sql(
      `select row_to_json(e)::text as text from webhooks.endpoints e
       union all select row_to_json(d)::text from webhooks.deliveries d
       union all select row_to_json(j)::text from pgboss.job j
       union all select encode(secret || coalesce(old_secret, ''), 'escape') from webhooks.endpoints`,
    )
    expect(rows.length).toBeGreaterThan(3)
    const logs = [...server.api.lines, ...worker.lines]
    const all = JSON.stringify([lists, rows, logs])
    for (const { secret } of [hook, rotated]) {
      expect(all).not.toContain(secret)
      expect(all).not.toContain(secret.slice(6))
    }
  })

  test('is not told a second time to whoever asks again with the same key', async () => {
    const admin = await world.newAdmin()
    const headers = { 'idempotency-key': randomUUID() }
    const body = { url, events: ['*'] }
    const first = await admin.call('POST', '', body, headers)
    expect(first.status).toBe(201)
    const again = await admin.call('POST', '', body, headers)
    expect(again.text).not.toContain(first.body.secret)
    expect((await admin.call<{ items: Hook[] }>('GET')).body.items).toHaveLength(1)
    const kept = await world.sql<{ text: string }>('select k::text as text from platform.idempotency_keys k')
    expect(JSON.stringify(kept)).not.toContain(first.body.secret)
  })
})

describe('nobody but an admin', () => {
  test('may see or change webhooks', async () => {
    const admin = await world.newAdmin()
    const hook = await admin.open(url)
    const { token } = admin.workspace
    const headers = { authorization: `Bearer ${token}` }
    for (const path of ['', `/${hook.id}`, `/${hook.id}/deliveries`]) {
      // A token without the scope, although its owner is an admin.
      expect((await server.get(`/api/v1/webhooks${path}`, { headers })).status).toBe(403)
      expect((await server.get(`/api/v1/webhooks${path}`)).status).toBe(401)
    }
  })

  test('of the same workspace: a webhook or delivery of another is not there', async () => {
    const [admin, other, receiver] = [
      await world.newAdmin(),
      await world.newAdmin(),
      await world.newReceiver(),
    ]
    const hook = await admin.open(receiver.url)
    await admin.workspace.board()
    const { id } = await admin.settled(hook, 'delivered')
    const own = await other.open(url)
    const calls = await Promise.all([
      other.call('GET', `/${hook.id}`),
      other.call('PATCH', `/${hook.id}`, { enabled: false }),
      other.call('DELETE', `/${hook.id}`),
      other.call('POST', `/${hook.id}/rotate-secret`),
      other.call('POST', `/${hook.id}/test`),
      other.call('GET', `/${hook.id}/deliveries`),
      other.call('POST', `/${hook.id}/deliveries/${id}/redeliver`),
      other.call('POST', `/${own.id}/deliveries/${id}/redeliver`),
    ])
    expect(calls.map(({ status }) => status)).toEqual(calls.map(() => 404))
    expect(new Set(calls.map(({ body }) => body.detail))).toEqual(
      new Set(['Webhook not found', 'Delivery not found']),
    )
    expect((await admin.call('GET', `/${hook.id}`)).body).toMatchObject({ enabled: true })
    expect(receiver.received).toHaveLength(1)
  })
})
