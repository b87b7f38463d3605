import { setTimeout as sleep } from 'node:timers/promises'
import { DeskCrowd } from '@crewhall/testkit/desk-crowd.ts'
import { createVirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { CheckLine } from '../memory/check-line.ts'
import { Crowd } from './crowd.ts'
import { DesksHost, type Sample } from './desks-host.ts'

interface PollOptions {
  readonly desks: number
  readonly interval_ms: number
  readonly seconds: number
}

const patienceMs = 600_000

/** Check 20: one worker and so many desks, all of them well. */
export async function* checkPolling({ desks, interval_ms, seconds }: PollOptions): AsyncGenerator<CheckLine> {
  const host = await DesksHost.open(100)
  const crowd = await Crowd.start('polled', desks)
  try {
    await new DeskCrowd('polled', desks).plant(host.admin, host.brand_ids, crowd.port, 'ready')
    const worker = await host.worker({ DESK_CHECK_INTERVAL_MS: String(interval_ms) })
    // The first round opens the connections; it is not measured.
    await waitFor(async () => (await crowd.facts()).least_asked >= 1, patienceMs)
    const connected = (await crowd.facts('forget')).connections
    const before = await host.sample()
    const rss: number[] = []
    for (let second = 0; second < seconds; second += 5) {
      await sleep(5000)
      rss.push((await host.sample()).rss_mb)
    }
    const after = await host.sample()
    const { connections } = await crowd.facts()
    const lost = await host.count(`state <> 'ready'`)
    await worker.stop()
    const checks = after.checks - before.checks
    const late = lateness(before, after, 0.99)
    const cores = (after.cpu_s - before.cpu_s) / seconds
    const mb = Math.max(...rss)
    const written = after.written - before.written
    yield {
      check: '20',
      what: `${desks} desks with real sockets, every ${interval_ms / 1000} s, for ${seconds} s`,
      measured: `${checks} checks, ${(checks / seconds).toFixed(0)} a second`,
    }
    yield {
      check: '20',
      what: 'lateness, p50 / p99',
      measured: `≤ ${lateness(before, after, 0.5)} / ≤ ${late} s`,
      bar: 'p99 3 s',
      is_met: late <= 3,
    }
    yield {
      check: '20',
      what: 'processor',
      measured: `${cores.toFixed(2)} cores`,
      bar: '1 core',
      is_met: cores <= 1,
    }
    yield {
      check: '20',
      what: 'memory, most',
      measured: `${mb.toFixed(0)} MB`,
      bar: '300 MB',
      is_met: mb <= 300,
    }
    yield {
      check: '20',
      what: 'rows written in Postgres, of which none because of a check',
      measured: `${written}`,
      bar: `${desks} (one per desk in 15 minutes)`,
      is_met: written <= desks,
      is_promise: true,
    }
    yield {
      check: '20',
      what: 'connections that were opened anew',
      measured: `${connections - connected}`,
      bar: `${Math.ceil(checks / 100)} (1 %)`,
      is_met: connections - connected <= checks / 100,
    }
    yield {
      check: '20',
      what: 'desks lost',
      measured: `${lost}`,
      bar: '0',
      is_met: lost === 0,
      is_promise: true,
    }
  } finally {
    await crowd.stop()
    await host.close()
  }
}

/** As much as is known from buckets: an upper bound. */
function lateness(before: Sample, after: Sample, part: number): number {
  const counted = [...after.late].map(([le, count]) => [le, count - (before.late.get(le) ?? 0)] as const)
  const all = counted.at(-1)?.[1] ?? 0
  return counted.find(([, count]) => count >= part * all)?.[0] ?? Number.POSITIVE_INFINITY
}

const hour = 3_600_000
const gaps = [
  { name: 'an hour', ms: hour },
  { name: 'three weeks', ms: 21 * 24 * hour },
]

/** No worker for a while, and then four checks of each desk. */
export async function* checkGaps(desks: number, interval_ms: number): AsyncGenerator<CheckLine> {
  const host = await DesksHost.open(10)
  const clock = createVirtualClock(host.database.name)
  const crowd = await Crowd.start('left alone', desks)
  const env = { ...clock.env, DESK_CHECK_INTERVAL_MS: String(interval_ms) }
  try {
    await new DeskCrowd('left alone', desks).plant(host.admin, host.brand_ids, crowd.port, 'ready')
    let worker = await host.worker(env)
    await waitFor(async () => (await crowd.facts()).least_asked >= 1, patienceMs)
    for (const { name, ms } of gaps) {
      await worker.kill()
      await clock.advance(ms)
      await crowd.facts('forget')
      worker = await host.worker(env)
      await waitFor(async () => (await crowd.facts()).least_asked >= 4, patienceMs)
      const { rows } = await host.admin.query(
        `select from platform.workspace_events where type in ('desk.lost', 'desk.flapping')`,
      )
      const lost = rows.length + (await host.count(`state <> 'ready'`))
      yield {
        check: '20',
        what: `worker off for ${name}: desks that turned unreachable, of ${desks}`,
        measured: `${lost}`,
        bar: '0',
        is_met: lost === 0,
        is_promise: true,
      }
    }
    await worker.stop()
  } finally {
    clock.close()
    await crowd.stop()
    await host.close()
  }
}
