import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  arrived,
  type Delivery,
  type Hook,
  type HookAdmin,
  hookEnv,
  useHookWorld,
  verified,
} from './hook-world.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const server = useServer('product', hookEnv)
const world = useHookWorld(server)
let clock: ReturnType<typeof createVirtualClock>

beforeAll(async () => {
  clock = createVirtualClock(server.database.name)
  await server.start('worker', clock.env)
})
afterAll(() => clock.close())

/** An admin whose session outlasts the jumps of the clock. */
async function newAdmin(): Promise<HookAdmin> {
  const admin = await world.newAdmin()
  await world.sql(`update identity.sessions set expires_at = now() + interval '1 year'`)
  await world.sql(`update identity.tokens set expires_at = now() + interval '1 year'`)
  return admin
}

const attempted = (admin: HookAdmin, hook: Hook, attempts: number): Promise<Delivery> =>
  waitFor(async () => {
    const { items } = await admin.deliveries(hook)
    return items.find((each) => each.attempts === attempts)
  }, 30_000)

/** A delivery to somebody else that comes after everything that was due before it. */
async function passed(): Promise<void> {
  const [admin, receiver] = [await newAdmin(), await world.newReceiver()]
  await admin.open(receiver.url)
  await admin.workspace.board()
  await arrived(receiver, 1)
}

const waitOf = ({ next_attempt_at, last_attempt_at }: Delivery): number =>
  Date.parse(next_attempt_at ?? '') - Date.parse(last_attempt_at ?? '')

test('a receiver that was down for an hour gets every delivery, each under the id of its first attempt', async () => {
  const [admin, receiver] = [await newAdmin(), await world.newReceiver()]
  const { workspace } = admin
  const boards = [await workspace.board(), await workspace.board()]
  const hook = await admin.open(receiver.url, { events: ['task.*'] })
  let isDown = true
  const taken: typeof receiver.received = []
  receiver.answer = (received) => {
    if (isDown) return receiver.received.length % 2 === 0 ? 'cut' : { status: 503 }
    taken.push(received)
    return { status: 200 }
  }
  const written: string[] = []
  for (let step = 0; step < 6; step += 1) {
    const before = receiver.received.length
    for (const board of boards) written.push((await workspace.card(board)).id)
    // Longer than the receiver is left alone after a failure, so somebody asks whether it is back.
    await clock.advance(10 * minute)
    const came = (limitMs: number) => waitFor(() => receiver.received.length > before, limitMs)
    // An attempt that was under way when the clock moved is noted at the later time, so the next one is later too.
    await came(10_000).catch(async () => {
      await clock.advance(10 * minute)
      await came(30_000)
    })
  }
  const { body: failing } = await admin.call('GET', `/${hook.id}`)
  expect(Date.parse(failing.failing_since ?? '')).toBeGreaterThan(0)
  const tried = receiver.received.map(({ id }) => id)
  expect(taken).toEqual([])
  isDown = false
  // The longest wait of a delivery that was tried three or four times is two hours and a tenth.
  await waitFor(async () => {
    if (taken.length === written.length) return true
    await clock.advance(5 * minute)
    await passed()
    return false
  }, 100_000)
  expect(taken.map(({ event }) => event.data.task_id).sort()).toEqual(written.sort())
  const { items } = await admin.deliveries(hook)
  expect(items.map(({ status }) => status)).toEqual(written.map(() => 'delivered'))
  expect(taken.map(({ id }) => id).sort()).toEqual(items.map(({ id }) => id).sort())
  expect(new Set(tried).difference(new Set(taken.map(({ id }) => id)))).toEqual(new Set())
  for (const received of taken) expect(verified(hook.secret, received)).toBeTruthy()
  const { body: well } = await admin.call('GET', `/${hook.id}`)
  expect(well.failing_since).toBe(null)
})

test('a delivery is tried ten times within 75 hours, a tenth more or less, and then given up', async () => {
  const [admin, receiver] = [await newAdmin(), await world.newReceiver()]
  const hook = await admin.open(receiver.url)
  receiver.answer = () => ({ status: 500 })
  await admin.workspace.board()
  const waits = [
    5 * second,
    5 * minute,
    30 * minute,
    2 * hour,
    5 * hour,
    10 * hour,
    14 * hour,
    20 * hour,
    24 * hour,
  ]
  for (const [at, wait] of waits.entries()) {
    const delivery = await attempted(admin, hook, at + 1)
    expect(delivery).toMatchObject({ status: 'pending', last_status: 500, last_error: 'answer' })
    const chosen = waitOf(delivery)
    expect(chosen).toBeGreaterThanOrEqual(wait * 0.9 - second)
    expect(chosen).toBeLessThanOrEqual(wait * 1.1 + second)
    if (wait >= 5 * minute) {
      await clock.advance(chosen - minute)
      await passed()
      expect(receiver.received).toHaveLength(at + 1)
      await clock.advance(minute)
    } else await clock.advance(chosen)
  }
  const last = await admin.settled(hook, 'failed')
  expect(last).toMatchObject({ attempts: 10, next_attempt_at: null, last_status: 500 })
  expect(last.tries.map(({ status, error }) => [status, error])).toEqual(Array(10).fill([500, 'answer']))
  expect(last.tries.map(({ at }) => at)).toEqual(last.tries.map(({ at }) => at).toSorted())
  expect(Date.parse(last.tries.at(-1)?.at ?? '')).toBe(Date.parse(last.last_attempt_at ?? ''))
  expect(new Set(receiver.received.map(({ id }) => id))).toEqual(new Set([last.id]))
  await clock.advance(48 * hour)
  await passed()
  expect(receiver.received).toHaveLength(10)
})

test.each([
  ['seconds', () => '1200'],
  ['a date', () => new Date(Date.now() + offset + 20 * minute).toUTCString()],
])('Retry-After in %s is waited for, also by deliveries that follow', async (_, header) => {
  const [admin, receiver] = [await newAdmin(), await world.newReceiver()]
  const hook = await admin.open(receiver.url)
  offset = await clockOffset()
  receiver.answer = () => ({ status: 429, headers: { 'retry-after': header() } })
  const board = await admin.workspace.board()
  const delivery = await attempted(admin, hook, 1)
  expect(waitOf(delivery)).toBeGreaterThan(19 * minute)
  expect(waitOf(delivery)).toBeLessThan(21 * minute)
  receiver.answer = () => ({ status: 204 })
  await admin.workspace.card(board)
  await clock.advance(15 * minute)
  await passed()
  expect(receiver.received).toHaveLength(1)
  await clock.advance(6 * minute)
  await arrived(receiver, 3)
  expect(receiver.received.map(({ event }) => event.type)).toEqual([
    'board.created',
    'board.created',
    'task.created',
  ])
})

let offset = 0
async function clockOffset(): Promise<number> {
  const [row] = await world.sql<{ ms: number }>(
    'select (extract(epoch from platform.now() - now()) * 1000)::float8 as ms',
  )
  return row?.ms ?? 0
}

test('receivers that hang keep nobody else waiting, and are asked with one delivery at a time', async () => {
  const admin = await newAdmin()
  const dead = await Promise.all(Array.from({ length: 12 }, () => world.newReceiver()))
  const well = await world.newReceiver()
  const hooks: Hook[] = []
  for (const receiver of dead) {
    receiver.answer = () => 'hang'
    hooks.push(await admin.open(receiver.url, { events: ['task.*'] }))
  }
  await admin.open(well.url, { events: ['task.*'] })
  const board = await admin.workspace.board()
  for (let n = 0; n < 20; n += 1) await admin.workspace.card(board)
  await arrived(well, 20)
  // Waited for one after the other, each of the dead would have been given up once for each of its deliveries by now.
  const triedOf = async ({ id }: Hook) =>
    (
      await world.sql<{ n: number }>(
        'select coalesce(sum(attempts), 0)::int as n from webhooks.deliveries where webhook_id = $1',
        [id],
      )
    )[0]?.n ?? Number.NaN
  for (const hook of hooks) expect(await triedOf(hook)).toBeLessThanOrEqual(1)
  await waitFor(() => dead.every(({ received }) => received.length > 0), 30_000)
  for (const [at, { received }] of dead.entries()) {
    const asked = received.length
    expect(asked).toBeLessThanOrEqual(1 + (await triedOf(hooks[at] as Hook)))
  }
  for (const hook of hooks) {
    const found = await waitFor(async () => {
      const { items } = await admin.deliveries(hook)
      return items.some(({ attempts }) => attempts > 0) && items
    }, 120_000)
    const errors = found.filter(({ attempts }) => attempts > 0).map(({ last_error }) => last_error)
    expect(errors).toEqual(['timeout'])
    expect(found).toHaveLength(20)
  }
})

test('K12: deliveries are dropped by the day after 30, and what waited for four is given up', async () => {
  const [admin, receiver] = [await newAdmin(), await world.newReceiver()]
  const hook = await admin.open(receiver.url)
  const board = await admin.workspace.board()
  await arrived(receiver, 1)
  receiver.answer = () => ({ status: 400 })
  const stuck = await admin.workspace.card(board)
  await attempted(admin, hook, 1)
  await world.sql(
    `update webhooks.deliveries set queued_at = platform.now() - interval '4 days'
     where webhook_id = $1 and payload like '%' || $2 || '%'`,
    [hook.id, stuck.id],
  )
  await clock.advance(hour)
  const givenUp = () =>
    waitFor(
      async () => (await admin.deliveries(hook)).items.find((each) => each.last_error === 'expired'),
      30_000,
    )
  expect(await givenUp()).toMatchObject({ event: 'task.created', status: 'failed', next_attempt_at: null })
  receiver.answer = () => ({ status: 200 })
  await clock.advance(48 * hour)
  await admin.workspace.card(board)
  const listed = async () => (await admin.deliveries(hook)).items
  await waitFor(async () => (await listed()).some(({ status }) => status === 'delivered'), 30_000)
  expect(await listed()).toHaveLength(3)
  await clock.advance(29 * 24 * hour)
  // Those of the first day are gone, with the day; the later one is not.
  const kept = await waitFor(async () => {
    const items = await listed()
    return items.length === 1 && items
  }, 120_000)
  expect(kept).toMatchObject([{ event: 'task.created', status: 'delivered' }])
  const days = await world.sql<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'webhooks.deliveries'::regclass`,
  )
  expect(days.length).toBeLessThanOrEqual(30 + 4 + 3)
})
