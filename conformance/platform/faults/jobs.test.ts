import { scaled } from '@crewhall/testkit/rounds.ts'
import { seededRandom } from '@crewhall/testkit/seeded-random.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { expect, test } from 'vitest'
import { useMarks } from './job-marks.ts'

const server = useServer('probe', { HTTP_CHECK_ANSWERS: 'false' })
const marks = useMarks(server)
const worker = (steps?: string) => server.start('worker', steps ? { TEST_FAULT_POINTS: steps } : {})

const total = scaled(10_000, 1_000)
const steps = ['jobs.run', 'jobs.effect', 'jobs.done']

/** Starts a worker again whenever it died, with the next named crash of the list, or none when it is empty. */
async function keepUp(
  plans: string[],
  over: () => boolean,
  use: (process: ServerProcess | undefined) => void,
) {
  let deaths = 0
  for (;;) {
    // One that dies before it could say that it is ready has died like any other.
    const process = await worker(plans.shift()).catch(() => undefined)
    use(process)
    if (process) await Promise.race([process.ended, waitFor(over, 240_000)])
    if (over()) return deaths
    deaths += 1
  }
}

test(`${total.toLocaleString('en')} jobs of committed transactions each have one effect while workers die, and rolled back ones none`, async () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
  console.log(`seed ${seed}; run again with SEED=${seed}`)
  const random = seededRandom(seed)
  const committed: string[] = []
  const rolledBack: string[] = []
  const wanted = Array.from({ length: total }, () => ({ roll_back: random() < 0.1, bulk: random() < 0.9 }))
  const rest = wanted.values()
  const lane = async () => {
    for (const mark of rest) (mark.roll_back ? rolledBack : committed).push(await marks.add(mark))
  }
  let over = false
  const alive: (ServerProcess | undefined)[] = []
  const crashes = () => steps.map((step) => `${step}:kill@${1 + Math.floor((random() * total) / 25)}`)
  const supervised = [0, 1].map((at) =>
    keepUp(
      crashes(),
      () => over,
      (process) => {
        alive[at] = process
      },
    ),
  )
  const started = performance.now()
  const enqueued = Promise.all(Array.from({ length: 24 }, lane))
  // Deaths at no particular step, after a random number of effects.
  const countEffects = async () =>
    (await marks.sql<{ n: number }>('select count(*)::int as n from probe.effects'))[0]?.n ?? 0
  for (let kill = 0; kill < 4; kill += 1) {
    const at = (total * 0.9 * (kill + random())) / 5
    await waitFor(async () => (await countEffects()) >= at, 120_000)
    await alive[kill % 2]?.kill()
  }
  await enqueued
  const enqueuedMs = performance.now() - started
  await waitFor(async () => (await countEffects()) >= committed.length, 120_000)
  const open = `select count(*)::int as n from pgboss.job where name in ('probe.mark', 'probe.bulk-mark') and state < 'completed'`
  await waitFor(async () => (await marks.sql<{ n: number }>(open))[0]?.n === 0, 60_000)
  over = true
  const deaths = (await Promise.all(supervised)).reduce((sum, n) => sum + n, 0)
  await Promise.all(alive.map((process) => process?.stop()))
  console.log(
    `enqueued in ${(enqueuedMs / 1000).toFixed(1)} s, all done after ${((performance.now() - started) / 1000).toFixed(1)} s, ${deaths} deaths`,
  )
  const rows = await marks.sql<{ key: string; n: number }>(
    'select key, count(*)::int as n from probe.effects group by key',
  )
  const effects = new Map(rows.map(({ key, n }) => [key, n]))
  // Six named crashes and four others; one that falls on a dying worker does not count twice.
  expect(deaths).toBeGreaterThanOrEqual(6)
  expect(committed.filter((key) => effects.get(key) !== 1)).toEqual([])
  expect(rolledBack.length).toBeGreaterThan(total / 20)
  expect(rolledBack.filter((key) => effects.has(key))).toEqual([])
  expect(effects.size).toBe(committed.length)
  expect(await marks.sql(`select from pgboss.job where name = 'jobs.dead'`)).toEqual([])
})

test('the jobs of a killed worker run again within 30 seconds', async () => {
  const doomed = await worker('jobs.effect:kill@1')
  const key = await marks.add()
  await doomed.ended
  const died = performance.now()
  const other = await worker()
  await marks.done(key, 40_000)
  const seconds = (performance.now() - died) / 1000
  console.log(`run again ${seconds.toFixed(1)} s after the death`)
  expect(seconds).toBeLessThan(30)
  expect(await marks.effects(key)).toHaveLength(1)
  await other.stop()
})
