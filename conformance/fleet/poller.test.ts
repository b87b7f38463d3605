import { DeskCrowd } from '@crewhall/testkit/desk-crowd.ts'
import { untilFrozen } from '@crewhall/testkit/frozen.ts'
import { scaled } from '@crewhall/testkit/rounds.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock, type VirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { DeskWorkspace } from './desk-workspace.ts'

// The poller over a crowd of desks that answer from this process. No state is written past it.
const size = 12
const env = {
  DESK_NETWORKS: '127.0.0.0/8',
  DESK_CHECK_INTERVAL_MS: '100',
  DESK_CHECK_TIMEOUT_MS: '3000',
}
const server = useServer('product', env)
const crowd = new DeskCrowd('poller', size)
const moods = new Map<number, DeskCrowd['moodOf']>()
let clock: VirtualClock
let at: DeskWorkspace
let worker: ServerProcess
beforeAll(async () => {
  crowd.moodOf = (n, asked) => moods.get(n)?.(n, asked) ?? 'well'
  clock = createVirtualClock(server.database.name)
  const api = await server.start('api', clock.env)
  at = await DeskWorkspace.open({ sql: server.sql, get: (path, init) => fetch(`${api.url}${path}`, init) })
  await crowd.plant(await server.connection('superuser'), [at.brand_id], await crowd.listen())
  worker = await server.start('worker', clock.env)
  await waitFor(async () => (await lost()) === 0, patienceMs)
})
afterAll(async () => {
  clock?.close()
  await crowd.close()
})

const patienceMs = 60_000
const limitMs = 240_000
/** Longer than a cell is held by somebody who is not heard. */
const holdMs = 25_000

interface Timeline {
  readonly status: string
  readonly flapping: boolean
  readonly events: readonly {
    readonly from_status: string
    readonly status: string
    readonly cause: string | null
    readonly misses: number
    readonly latency_ms: number | null
  }[]
}
const idOf = (n: number) => crowd.members[n]?.id ?? ''
const askedOf = (n: number) => crowd.members[n]?.asked ?? 0
const timeline = async (n: number) => (await at.call<Timeline>('GET', `/environments/${idOf(n)}/health`)).body
const until = (n: number, status: string) =>
  waitFor(async () => (await timeline(n)).status === status, patienceMs)
const checked = (n: number, more: number) => {
  const from = askedOf(n)
  return waitFor(() => askedOf(n) >= from + more, patienceMs)
}
/** How many of the crowd are not ready. */
const lost = async () =>
  (await at.world.sql(`select from fleet.desks where state <> 'ready' and registered_at is not null`)).length
/** What was told of a desk by the poller. */
const told = async (n: number) =>
  (
    await at.world.sql<{ type: string }>(
      `select type from platform.workspace_events where type in ('desk.reached', 'desk.lost', 'desk.flapping')
         and subject_id = $1 order by created_at, id`,
      [idOf(n)],
    )
  ).map(({ type }) => type)

/** Moves time on, until somebody holds the cell again: until then it is free for a worker that has just begun. */
const moveOn = async (ms: number) => {
  await clock.advance(ms)
  await waitFor(
    async () =>
      (await at.world.sql('select from fleet.poll_cells where held_until > platform.clock_now()')).length > 0,
    patienceMs,
  )
}

const alternating = scaled(300, 30)

test(
  `check 11, DESK-41: two misses and an answer, ${alternating} checks, change nothing`,
  async () => {
    moods.set(0, (_, asked) => (asked % 3 === 0 ? 'well' : 'failing'))
    await checked(0, alternating)
    moods.delete(0)
    const { status, events } = await timeline(0)
    expect(status).toBe('active')
    expect(events.length).toBeGreaterThan(alternating / 3)
    // The timeline is too short for many rounds, so that its first change is no longer in it.
    const turns = events.filter(({ from_status, status }) => from_status !== status)
    expect(turns.filter(({ from_status }) => from_status !== 'provisioned')).toEqual([])
    expect(await told(0)).toEqual(['desk.reached'])
  },
  limitMs,
)

test(
  'check 11, DESK-41, DESK-G13: the third miss makes a desk unreachable, and the timeline has each cause once',
  async () => {
    moods.set(1, () => 'failing')
    await until(1, 'unreachable')
    moods.set(1, () => 'broken')
    await waitFor(async () => (await timeline(1)).events[0]?.cause === 'unreachable', patienceMs)
    await checked(1, 10)
    moods.delete(1)
    await until(1, 'active')
    const { events } = await timeline(1)
    expect(
      events.map(({ from_status, status, cause, misses }) => [from_status, status, cause, misses]),
    ).toEqual([
      ['unreachable', 'active', null, 0],
      ['unreachable', 'unreachable', 'unreachable', expect.any(Number)],
      ['active', 'unreachable', 'bad_response', 3],
      ['active', 'active', 'bad_response', 1],
      ['provisioned', 'active', null, 0],
    ])
    for (const { latency_ms } of events) expect(latency_ms).toEqual(expect.any(Number))
  },
  limitMs,
)

test(
  'check 12, DESK-44, ENV-08: a desk that is suspended for 20 intervals is not asked, and is ready when it is resumed',
  async () => {
    await at.change(idOf(2), { status: 'suspended' })
    // One check may have been under way.
    await checked(3, 3)
    const before = askedOf(2)
    await checked(3, 20)
    expect(askedOf(2) - before).toBe(0)
    expect((await timeline(2)).status).toBe('suspended')
    await at.change(idOf(2), { status: 'provisioned' })
    await until(2, 'active')
  },
  limitMs,
)

test(
  'four changes within ten minutes are one notice, the status follows all of them, and what it comes to is told',
  async () => {
    for (const round of [1, 2, 3]) {
      moods.set(4, () => 'failing')
      await until(4, 'unreachable')
      moods.delete(4)
      await until(4, 'active')
      expect((await timeline(4)).flapping).toBe(round > 1)
    }
    const notices = ['desk.reached', 'desk.lost', 'desk.reached', 'desk.flapping']
    expect(await told(4)).toEqual(notices)
    expect(
      (await timeline(4)).events.filter(({ from_status, status }) => from_status !== status),
    ).toHaveLength(7)
    await moveOn(11 * 60_000)
    await waitFor(async () => !(await timeline(4)).flapping, patienceMs)
    expect(await told(4)).toEqual([...notices, 'desk.reached'])
  },
  limitMs,
)

test(
  'check 13, DESK-43, DESK-45: a desk that was never installed is not asked in 30 days, and is dormant',
  async () => {
    const { workstation_id: id } = await at.ordered()
    await moveOn(30 * 24 * 3_600_000)
    await checked(3, 5)
    expect((await at.show(id)).body).toMatchObject({ status: 'provisioning', dormant: true })
    expect((await at.call<Timeline>('GET', `/environments/${id}/health`)).body.events).toEqual([])
    expect((await at.logins()).body.dormant).toBe(1)
    expect(
      await at.world.sql('select from fleet.desks where id = $1 and checked_at is null', [id]),
    ).toHaveLength(1)
  },
  limitMs,
)

test(
  'SYS-17: with no traffic one of two workers checks the desks, and when it is killed the other one does',
  async () => {
    const other = await server.start('worker', clock.env)
    const from = askedOf(5)
    const begun = performance.now()
    await checked(5, 20)
    // Twice as many would say that both do.
    const expected = (performance.now() - begun) / 100
    expect(askedOf(5) - from).toBeLessThan(1.5 * expected + 5)
    const before = await notices()
    await worker.kill()
    await moveOn(holdMs)
    crowd.forgetAsked()
    await waitFor(() => crowd.least_asked >= 5, patienceMs)
    expect(await lost()).toBe(0)
    expect(await notices()).toBe(before)
    worker = other
  },
  limitMs,
)

test(
  'a worker that is stopped in the middle of a check and wakes when another has its cell changes nothing',
  async () => {
    const other = await server.start('worker', clock.env)
    const before = await notices()
    // Two misses are noted, and the third check is under way when its worker is stopped.
    let failed = 0
    moods.set(6, () => {
      failed += 1
      return failed <= 2 ? 'failing' : 'silent'
    })
    await waitFor(() => failed >= 3, patienceMs)
    worker.child.kill('SIGSTOP')
    await untilFrozen(worker)
    onTestFinished(() => void worker.child.kill('SIGCONT'))
    const fence = async () =>
      (await at.world.sql<{ fence: string }>('select fence::text from fleet.poll_cells'))[0]?.fence
    const old = await fence()
    moods.delete(6)
    await moveOn(holdMs)
    await waitFor(async () => (await fence()) !== old, patienceMs)
    crowd.forgetAsked()
    await waitFor(() => crowd.least_asked >= 3, patienceMs)
    worker.child.kill('SIGCONT')
    await checked(6, 20)
    expect(await lost()).toBe(0)
    expect(await notices()).toBe(before)
    expect((await timeline(6)).events[0]).toMatchObject({ status: 'active', cause: null, misses: 0 })
    await worker.kill()
    worker = other
  },
  limitMs,
)

test(
  'a worker that is told to stop leaves its cell to the next one at once',
  async () => {
    await worker.stop()
    crowd.forgetAsked()
    await server.start('worker', clock.env)
    await waitFor(() => crowd.least_asked >= 2, patienceMs)
    expect(await lost()).toBe(0)
  },
  limitMs,
)

const notices = async () =>
  (
    await at.world.sql(
      `select from platform.workspace_events where type in ('desk.reached', 'desk.lost', 'desk.flapping')`,
    )
  ).length
