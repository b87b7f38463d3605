import { json } from '@crewhall/testkit/people.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { columnOf } from '../boards/board-workspace.ts'
import { arrived, type Delivery, hookEnv, useHookWorld, verified } from './hook-world.ts'

const server = useServer('product', hookEnv)
const world = useHookWorld(server)
beforeAll(() => server.start('worker'))

describe('an event', () => {
  test('is sent to the webhook with a signature that the public library accepts', async () => {
    const [admin, receiver] = [await world.newAdmin(), await world.newReceiver()]
    const hook = await admin.open(receiver.url)
    const board = await admin.workspace.board()
    const [received] = await arrived(receiver, 1)
    if (!received) throw new Error('nothing came')
    expect(verified(hook.secret, received)).toMatchObject({
      type: 'board.created',
      data: { action: 'board.created', board_id: board.id },
    })
    const changed = { ...received, body: received.body.replace('board.created', 'board.deleted') }
    expect(() => verified(hook.secret, changed)).toThrow('No matching signature found')
  })

  test('tells the entry of the feed, with the columns of a move', async () => {
    const [admin, receiver] = [await world.newAdmin(), await world.newReceiver()]
    await admin.open(receiver.url, { events: ['task.moved'] })
    const { workspace } = admin
    const board = await workspace.board()
    const card = await workspace.card(board)
    const to = board.columns.find(({ id }) => id !== card.column.id) ?? columnOf(board, '')
    const { status } = await workspace.move(card, { column: to.name })
    expect(status).toBe(200)
    const [received] = await arrived(receiver, 1)
    const feed = await workspace.call<{ items: { id: string; action: string }[] }>(
      'GET',
      `/activity/boards/${board.id}`,
    )
    const entry = feed.body.items.find(({ action }) => action === 'task.moved')
    expect(received?.event).toEqual({
      type: 'task.moved',
      timestamp: (entry as { created_at?: string } | undefined)?.created_at,
      data: { ...entry, board_id: board.id },
    })
    expect(JSON.stringify(received?.event.data.data)).toContain(card.column.name)
    expect(JSON.stringify(received?.event.data.data)).toContain(to.name)
  })

  test('reaches the webhooks that asked for it, its family or everything, and no other', async () => {
    const [admin, receiver] = [await world.newAdmin(), await world.newReceiver()]
    const board = await admin.workspace.board()
    const other = await admin.workspace.board()
    const asked: [string, object][] = [
      ['action', { events: ['task.created'] }],
      ['family', { events: ['task.*'] }],
      ['all', { events: ['*'] }],
      ['board', { events: ['*'], board_ids: [board.id] }],
      ['other-action', { events: ['task.moved', 'board.*'] }],
      ['other-board', { events: ['*'], board_ids: [other.id] }],
      ['disabled', { events: ['*'], enabled: false }],
    ]
    for (const [name, more] of asked) await admin.open(`${receiver.url}/${name}`, more)
    await admin.workspace.card(board)
    await arrived(receiver, 4)
    const [made] = await world.sql<{ n: number }>(
      `select count(*)::int as n from webhooks.deliveries where brand_id = $1`,
      [admin.workspace.owner.brand_id],
    )
    expect(made?.n).toBe(4)
    expect(receiver.received.map(({ path }) => path).sort()).toEqual(
      ['action', 'all', 'board', 'family'].map((name) => `/hook/${name}`),
    )
  })

  test('of another workspace is never sent', async () => {
    const [admin, other, receiver] = [
      await world.newAdmin(),
      await world.newAdmin(),
      await world.newReceiver(),
    ]
    await admin.open(receiver.url)
    await other.workspace.board()
    await admin.workspace.board({ name: 'Own' })
    const [received] = await arrived(receiver, 1)
    expect(received?.event.data.data).toMatchObject({ name: 'Own' })
    const rows = await world.sql<{ brand_id: number }>('select brand_id from webhooks.deliveries')
    expect(rows.map(({ brand_id }) => brand_id)).not.toContain(other.workspace.owner.brand_id)
  })

  test('of a change that is rolled back leaves no delivery', async () => {
    const [admin, guest] = [await world.newAdmin(), await world.newAdmin()]
    const receiver = await world.newReceiver()
    const hook = await admin.open(receiver.url)
    const { workspace } = admin
    const board = await workspace.board()
    await arrived(receiver, 1)
    // From now on the last statement of a privileged change of this workspace fails.
    const owner = await server.connection('owner')
    const { brand_id } = workspace.owner
    const table = 'alter table platform.audit_entries'
    await owner.query(`${table} add constraint planted check (brand_id <> ${brand_id}) not valid`)
    const admit = () =>
      server.get(
        `/api/v1/board/boards/${board.id}/guests`,
        json({ email: guest.workspace.owner.email, role: 'viewer' }, { cookie: workspace.owner.cookie }),
      )
    expect((await admit()).status).toBe(500)
    await owner.query(`${table} drop constraint planted`)
    await owner.end()
    expect((await admin.deliveries(hook)).items.map(({ event }) => event)).toEqual(['board.created'])
    const arrivals = await world.sql('select from webhooks.arrivals where brand_id = $1', [brand_id])
    expect(arrivals).toEqual([])
    expect((await admit()).status).toBe(201)
    const [, second] = await arrived(receiver, 2)
    expect(second?.event.type).toBe('guest.added')
  })

  test('K10: wakes its webhooks without a job: 20 changes for three webhooks are 60 deliveries and no job', async () => {
    const [admin, receiver] = [await world.newAdmin(), await world.newReceiver()]
    const { workspace } = admin
    const board = await workspace.board()
    for (let n = 0; n < 3; n += 1) await admin.open(receiver.url, { events: ['task.created'] })
    for (let n = 0; n < 20; n += 1) await workspace.card(board)
    await arrived(receiver, 60)
    const jobs = await world.sql(`select name from pgboss.job where data -> 'payload' ->> 'brand_id' = $1`, [
      String(workspace.owner.brand_id),
    ])
    expect(jobs).toEqual([])
    // A sender that is at work already may be faster than the look that takes the arrivals.
    const { brand_id } = workspace.owner
    const arrivals = 'select from webhooks.arrivals where brand_id = $1'
    await waitFor(async () => (await world.sql(arrivals, [brand_id])).length === 0 || undefined, 30_000)
  })

  test('of a dry run leaves no delivery', async () => {
    const [admin, receiver] = [await world.newAdmin(), await world.newReceiver()]
    const hook = await admin.open(receiver.url, { events: ['task.*'] })
    const { workspace } = admin
    const board = await workspace.board()
    const path = `/boards/${board.id}/tasks?dry_run=true`
    expect((await workspace.call('POST', path, { title: 'Dry run' })).status).toBe(201)
    const card = await workspace.card(board, { title: 'Real' })
    await arrived(receiver, 1)
    expect(receiver.received.map(({ event }) => event.data.task_id)).toEqual([card.id])
    expect((await admin.deliveries(hook)).items).toHaveLength(1)
  })

  test('arrives in the order in which the changes of its board were made', async () => {
    const [admin, receiver] = [await world.newAdmin(), await world.newReceiver()]
    await admin.open(receiver.url, { events: ['task.*'] })
    const boards = await Promise.all([1, 2, 3].map(() => admin.workspace.board()))
    // Four at a time on each board meet as well, and do not fill the pool: that would be answered with 503.
    const writes = boards.flatMap((board) => {
      const left = Array.from({ length: 15 }, () => board).values()
      return Array.from({ length: 4 }, async () => {
        for (const each of left) await admin.workspace.card(each)
      })
    })
    await Promise.all(writes)
    await arrived(receiver, 45, 30_000)
    for (const board of boards) {
      const ids = receiver.received
        .filter(({ event }) => event.data.board_id === board.id)
        .map(({ event }) => Number(event.data.id))
      expect(ids).toHaveLength(15)
      expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    }
  })
})

describe('a rotation', () => {
  test('signs with both secrets for a day, and tells the new one once', async () => {
    const [admin, receiver] = [await world.newAdmin(), await world.newReceiver()]
    const hook = await admin.open(receiver.url)
    const { status, body: rotated } = await admin.call('POST', `/${hook.id}/rotate-secret`)
    expect(status).toBe(200)
    expect(rotated.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(rotated.secret).not.toBe(hook.secret)
    await admin.workspace.board()
    const [both] = await arrived(receiver, 1)
    if (!both) throw new Error('nothing came')
    expect(both.headers['webhook-signature']?.split(' ')).toHaveLength(2)
    for (const secret of [hook.secret, rotated.secret]) expect(verified(secret, both)).toBeTruthy()
    await world.sql(
      `update webhooks.endpoints set old_secret_until = now() - interval '1 second' where id = $1`,
      [hook.id],
    )
    await admin.workspace.board()
    const [, one] = await arrived(receiver, 2)
    if (!one) throw new Error('nothing came')
    expect(one.headers['webhook-signature']?.split(' ')).toHaveLength(1)
    expect(verified(rotated.secret, one)).toBeTruthy()
    expect(() => verified(hook.secret, one)).toThrow('No matching signature found')
  })
})

describe('an answer', () => {
  test('of 410 disables the webhook, and the audit log says so', async () => {
    const [admin, receiver] = [await world.newAdmin(), await world.newReceiver()]
    const hook = await admin.open(receiver.url)
    receiver.answer = () => ({ status: 410 })
    await admin.workspace.board()
    const delivery = await admin.settled(hook, 'failed')
    expect(delivery).toMatchObject({
      attempts: 1,
      last_status: 410,
      last_error: 'gone',
      next_attempt_at: null,
    })
    const { body } = await admin.call('GET', `/${hook.id}`)
    expect(body).toMatchObject({ enabled: false, disabled_reason: 'gone' })
    const audit = await world.sql(
      `select actor_kind, new_value from platform.audit_entries where action = 'webhook.disabled' and target = $1`,
      [`webhook:${hook.id}`],
    )
    expect(audit).toEqual([{ actor_kind: 'system', new_value: { enabled: false, reason: 'gone' } }])
    await admin.workspace.board()
    expect((await admin.deliveries(hook)).items).toHaveLength(1)
    const { body: enabled } = await admin.call('PATCH', `/${hook.id}`, { enabled: true })
    expect(enabled).toMatchObject({ enabled: true, disabled_reason: null })
  })

  test('that redirects is a failure, and nobody follows it', async () => {
    const [admin, receiver, elsewhere] = [
      await world.newAdmin(),
      await world.newReceiver(),
      await world.newReceiver(),
    ]
    const hook = await admin.open(receiver.url)
    receiver.answer = () => ({ status: 307, headers: { location: elsewhere.url } })
    await admin.workspace.board()
    const failed = await waitFor(
      async () => (await admin.deliveries(hook)).items.find(({ attempts }) => attempts === 1),
      30_000,
    )
    expect(failed).toMatchObject({ status: 'pending', last_status: 307, last_error: 'redirect' })
    expect(elsewhere.connections).toBe(0)
  })

  test('that is endless counts by its status', async () => {
    const [admin, receiver] = [await world.newAdmin(), await world.newReceiver()]
    const hook = await admin.open(receiver.url)
    receiver.answer = () => ({ status: 200, headers: { 'content-length': '10000000000' } })
    await admin.workspace.board()
    expect(await admin.settled(hook, 'delivered')).toMatchObject({ last_status: 200, attempts: 1 })
  })
})

describe('by hand', () => {
  test('a test event is sent and logged', async () => {
    const [admin, receiver] = [await world.newAdmin(), await world.newReceiver()]
    const hook = await admin.open(receiver.url, { events: ['run.finished'] })
    const { status, body } = await admin.call<Delivery>('POST', `/${hook.id}/test`)
    expect([status, body.event, body.status]).toEqual([201, 'webhook.test', 'pending'])
    const [received] = await arrived(receiver, 1)
    if (!received) throw new Error('nothing came')
    expect(received.id).toBe(body.id)
    expect(verified(hook.secret, received)).toMatchObject({
      type: 'webhook.test',
      data: { webhook_id: hook.id },
    })
    expect(await admin.settled(hook, 'delivered')).toMatchObject({ id: body.id, last_status: 204 })
  })

  test('a delivery is sent again with the same id and the same bytes', async () => {
    const [admin, receiver] = [await world.newAdmin(), await world.newReceiver()]
    const hook = await admin.open(receiver.url)
    await admin.workspace.board()
    const { id } = await admin.settled(hook, 'delivered')
    const { status, body } = await admin.call<Delivery>('POST', `/${hook.id}/deliveries/${id}/redeliver`)
    expect([status, body.id, body.status]).toEqual([200, id, 'pending'])
    const [first, second] = await arrived(receiver, 2)
    expect([second?.id, second?.body]).toEqual([first?.id, first?.body])
    expect(await admin.settled(hook, 'delivered')).toMatchObject({
      id,
      attempts: 2,
      tries: Array(2).fill({ status: 204, error: null, duration_ms: expect.any(Number) }),
    })
  })

  test('nothing is sent to a disabled webhook', async () => {
    const [admin, receiver] = [await world.newAdmin(), await world.newReceiver()]
    const hook = await admin.open(receiver.url)
    await admin.workspace.board()
    const { id } = await admin.settled(hook, 'delivered')
    await admin.call('PATCH', `/${hook.id}`, { enabled: false })
    for (const path of ['/test', `/deliveries/${id}/redeliver`]) {
      const { status, body } = await admin.call('POST', `/${hook.id}${path}`)
      expect([status, body.detail]).toEqual([409, 'The webhook is disabled'])
    }
    expect((await admin.deliveries(hook, '?status=pending')).items).toEqual([])
  })
})

test('the log of deliveries is paged newest first, and filtered by status', async () => {
  const [admin, receiver] = [await world.newAdmin(), await world.newReceiver()]
  const hook = await admin.open(receiver.url)
  receiver.answer = ({ event }) => ({ status: event.type === 'board.created' ? 400 : 204 })
  const board = await admin.workspace.board()
  for (let n = 0; n < 4; n += 1) await admin.workspace.card(board)
  await waitFor(async () => (await admin.deliveries(hook, '?status=delivered')).items.length === 4, 30_000)
  const found: string[] = []
  for (let query = '?limit=2'; query; ) {
    const page = await admin.deliveries(hook, query)
    expect(page.items.length).toBeLessThanOrEqual(2)
    found.push(...page.items.map(({ event }) => event))
    query = page.next_cursor ? `?limit=2&cursor=${encodeURIComponent(page.next_cursor)}` : ''
  }
  expect(found).toEqual([...Array(4).fill('task.created'), 'board.created'])
  const waiting = await admin.deliveries(hook, '?status=pending')
  expect(waiting.items).toMatchObject([{ event: 'board.created', last_status: 400, last_error: 'answer' }])
  const { status, body } = await admin.call('GET', `/${hook.id}/deliveries?cursor=nonsense`)
  expect([status, body.detail]).toEqual([422, 'cursor: must be a next_cursor of this list'])
})
