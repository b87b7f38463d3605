import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { arrived, hookEnv, useHookWorld, verified } from './hook-world.ts'

const key = 'a-key-of-this-installation-long-enough'
const server = useServer('product', { ...hookEnv, SIGNING_KEY: key })
const world = useHookWorld(server)
let clock: ReturnType<typeof createVirtualClock>
beforeAll(() => {
  clock = createVirtualClock(server.database.name)
})
afterAll(() => clock.close())

test('K11: a delivery whose worker was killed before it could note the answer is sent again within 16 s', async () => {
  const [admin, receiver] = [await world.newAdmin(), await world.newReceiver()]
  const hook = await admin.open(receiver.url)
  const doomed = await server.start('worker', { ...clock.env, TEST_FAULT_POINTS: 'webhooks.sent:kill@1' })
  await admin.workspace.board()
  await doomed.ended
  expect((await admin.deliveries(hook)).items).toMatchObject([{ status: 'pending', attempts: 0 }])
  const next = await server.start('worker', clock.env)
  await clock.advance(16_000)
  await arrived(receiver, 2)
  const [first, second] = receiver.received
  expect([second?.id, second?.body]).toEqual([first?.id, first?.body])
  expect(await admin.settled(hook, 'delivered')).toMatchObject({ attempts: 1 })
  await next.stop()
})

test('K10: a delivery that nobody announced is found within two minutes', async () => {
  const [admin, receiver] = [await world.newAdmin(), await world.newReceiver()]
  const hook = await admin.open(receiver.url)
  // As a process of the version before this one writes it.
  await world.sql(
    `insert into webhooks.deliveries (brand_id, webhook_id, event, payload, queued_at)
     values ($1, $2, 'webhook.test', '{}', platform.now())`,
    [admin.workspace.owner.brand_id, hook.id],
  )
  const worker = await server.start('worker', clock.env)
  await clock.advance(120_000)
  await arrived(receiver, 1)
  await worker.stop()
})

test('K11: a lease is renewed for as long as its sender lives, however long the receiver takes', async () => {
  const [admin, receiver] = [await world.newAdmin(), await world.newReceiver()]
  const hook = await admin.open(receiver.url)
  receiver.answer = () => 'hang'
  const worker = await server.start('worker', { HTTP_DRAIN_MS: '0' })
  await admin.workspace.board()
  await arrived(receiver, 1)
  const leaseOf = async () => {
    const [row] = await world.sql<{ sending_until: Date }>(
      'select sending_until from webhooks.endpoints where id = $1',
      [hook.id],
    )
    return row?.sending_until.getTime() ?? 0
  }
  const first = await leaseOf()
  await waitFor(async () => (await leaseOf()) > first, 30_000)
  expect((await admin.deliveries(hook)).items).toMatchObject([{ status: 'pending', attempts: 0 }])
  await worker.stop()
})

test('a worker that is told to stop waits for the answer to what it has sent, and nobody sends it again', async () => {
  const [admin, receiver] = [await world.newAdmin(), await world.newReceiver()]
  const hook = await admin.open(receiver.url)
  const answer = Promise.withResolvers<{ status: number }>()
  receiver.answer = () => answer.promise
  const first = await server.start('worker', clock.env)
  await admin.workspace.board()
  await arrived(receiver, 1)
  const stopped = first.stop()
  // Its jobs have ended, and what it waits for is the answer. It takes nothing more: that is the next one's.
  const watching = await server.connection('superuser')
  await waitFor(async () => {
    const jobs = `select from pg_stat_activity where datname = current_database() and application_name = 'crewhall-jobs-worker'`
    return (await watching.query(jobs)).rowCount === 0
  }, 30_000)
  await admin.workspace.board()
  answer.resolve({ status: 204 })
  expect(await stopped).toBe(0)
  const second = await server.start('worker', clock.env)
  await arrived(receiver, 2)
  await waitFor(async () => (await admin.deliveries(hook, '?status=pending')).items.length === 0, 30_000)
  const ids = receiver.received.map(({ id }) => id)
  expect([ids.length, new Set(ids).size]).toEqual([2, 2])
  await second.stop()
})

test('a delivery that was received while the database takes no note is not sent again', async () => {
  const [admin, receiver] = [await world.newAdmin(), await world.newReceiver()]
  const hook = await admin.open(receiver.url)
  const [blocking, watching] = [await server.connection('superuser'), await server.connection('superuser')]
  receiver.answer = async () => {
    await blocking.query('begin')
    await blocking.query('lock table webhooks.deliveries in access exclusive mode')
    return { status: 204 }
  }
  const worker = await server.start('worker', { ...clock.env, DATABASE_LOCK_TIMEOUT_MS: '100' })
  await admin.workspace.board()
  await arrived(receiver, 1)
  const tries = new Set<number>()
  await waitFor(async () => {
    const { rows } = await watching.query<{ at: Date }>(
      `select query_start as at from pg_stat_activity where datname = current_database()
       and wait_event_type = 'Lock' and query like '%set status = ''delivered''%'`,
    )
    for (const { at } of rows) tries.add(at.getTime())
    // The second one says that the first was refused.
    return tries.size > 1
  }, 30_000)
  await blocking.query('commit')
  expect(await admin.settled(hook, 'delivered')).toMatchObject({ attempts: 1 })
  expect(receiver.received.length).toBe(1)
  await worker.stop()
})

test('a worker that is told to stop takes back what nobody answers, and the next one sends it at once', async () => {
  const [admin, receiver] = [await world.newAdmin(), await world.newReceiver()]
  const hook = await admin.open(receiver.url)
  receiver.answer = () => 'hang'
  const first = await server.start('worker', { ...clock.env, HTTP_DRAIN_MS: '0' })
  await admin.workspace.board()
  await arrived(receiver, 1)
  expect(await first.stop()).toBe(0)
  expect((await admin.deliveries(hook)).items).toMatchObject([{ status: 'pending', attempts: 0 }])
  receiver.answer = () => ({ status: 204 })
  const second = await server.start('worker', clock.env)
  await arrived(receiver, 2)
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1)
  await admin.settled(hook, 'delivered')
  await second.stop()
})

test('after the key of the installation was changed nothing is sent until the secret is rotated', async () => {
  const [admin, receiver] = [await world.newAdmin(), await world.newReceiver()]
  const hook = await admin.open(receiver.url)
  const other = { SIGNING_KEY: 'another-key-of-this-installation' }
  const worker = await server.start('worker', { ...clock.env, ...other })
  const api = await server.start('api', other)
  await admin.workspace.board()
  const [failed] = await waitFor(async () => {
    const { items } = await admin.deliveries(hook)
    return items[0]?.attempts === 1 && items
  }, 30_000)
  expect(failed).toMatchObject({ status: 'pending', last_error: 'secret', last_status: null })
  expect(receiver.connections).toBe(0)
  const response = await fetch(`${api.url}/api/v1/webhooks/${hook.id}/rotate-secret`, {
    method: 'POST',
    headers: { cookie: admin.workspace.owner.cookie },
  })
  const { secret } = (await response.json()) as { secret: string }
  await clock.advance(6000)
  const [received] = await arrived(receiver, 1)
  if (!received) throw new Error('nothing came')
  expect(verified(secret, received)).toBeTruthy()
  await worker.stop()
})
