import { existsSync, readFileSync } from 'node:fs'
import { type FaultProxy, startFaultProxy } from '@crewhall/testkit/fault-proxy.ts'
import { untilFrozen } from '@crewhall/testkit/frozen.ts'
import { isFull, scaled } from '@crewhall/testkit/rounds.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { quickToGiveUp } from '@crewhall/testkit/take-over.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { WorkerCrew } from '@crewhall/testkit/worker-crew.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useBuilds } from '../../hires/build-world.ts'
import type { Employer } from '../../hires/hire-verbs.ts'

const kit = useBuilds()
const { at, filesOf, newEmployer, rowsOf, server } = kit
const rounds = scaled(20, 1)
/** Within the transaction, between it and the removal, and between the removal and its note. */
const inside = ['canceled', 'released']
const after = ['ended', 'removed']
const timeout = 90_000 * rounds

let employee: { profile_id: string; key: string }
let crew: WorkerCrew
beforeAll(async () => {
  employee = await kit.newWholeEmployee([])
  crew = await WorkerCrew.open({
    database: server.database.name,
    size: 2,
    start: (env) => server.start('worker', { ...quickToGiveUp, ...env }),
  })
}, timeout)
afterAll(() => crew.close())

interface Built {
  readonly employer: Employer
  readonly hire_id: string
}
/** With a desk, sources, packages and a directory. */
async function built(): Promise<Built> {
  const employer = await newEmployer()
  const hire_id = await kit.hired(employer, employee.profile_id)
  await kit.active(employer, hire_id)
  return { employer, hire_id }
}
const pathOf = (hire_id: string, how: string) => `/api/v1/employees/hires/${hire_id}/${how}`
const cancel = ({ employer, hire_id }: Built, how = 'cancel-immediate') =>
  at.call<{ management_record_deleted: boolean }>({ cookie: employer.cookie }, 'POST', pathOf(hire_id, how))
/** Through another process, which may not answer. */
const cancelBy = ({ url }: ServerProcess, { employer, hire_id }: Built) =>
  fetch(`${url}${pathOf(hire_id, 'cancel-immediate')}`, {
    method: 'POST',
    headers: { cookie: employer.cookie },
  }).then(
    ({ status }) => status,
    () => 'no answer',
  )
/** Its time has come. */
const due = ({ hire_id }: Built) =>
  at.sql(`update hires.hires set effective_at = platform.now() where id = $1`, [hire_id])
const sweepNow = () =>
  at.sql(
    `update jobs.schedules set next_at = now() where name in ('hires.sweep-periods', 'hires.remove-ended')`,
  )
/** Removals are found only once the hire has ended. */
const sweepUntilStopped = ({ pid }: ServerProcess) =>
  waitFor(async () => {
    await sweepNow()
    const path = `/proc/${pid}/stat`
    return !existsSync(path) || /\) [TZ] /.test(readFileSync(path, 'utf8'))
  }, 60_000)
const toldOf = async (hire_id: string) =>
  (await kit.eventsOf(hire_id)).filter((type) => type === 'hire.canceled' || type === 'hire.ended')

/** Nothing of the hire is left but the hire, its agent and its desk, however often somebody tried. */
async function expectEnded({ employer, hire_id }: Built): Promise<void> {
  const { key } = employee
  await waitFor(async () => {
    await at.sql(
      'update hires.removals set next_try_at = platform.now() where hire_id = $1 and removed_at is null',
      [hire_id],
    )
    await sweepNow()
    return (await rowsOf(employer)).records.length === 0
  }, 60_000)
  // The empty folder of all hires.
  expect(filesOf(employer)).toEqual(['hires'])
  const { steps: _, desks, ...rows } = await rowsOf(employer)
  expect(rows).toEqual({
    agents: [`${key} hired active`],
    services: [`${key} service`],
    tokens: [],
    sources: [],
    installs: ['boards hire false', 'memory hire false'],
    references: [],
    records: [],
    hires: [`${hire_id} canceled ${key}`],
  })
  expect(desks).toEqual([expect.stringMatching(/ -$/)])
  expect(await toldOf(hire_id)).toEqual(['hire.canceled', 'hire.ended'])
  const counted = 'select installs_disabled, installs_retained from hires.hires where id = $1'
  expect(await at.sql(counted, [hire_id])).toEqual([{ installs_disabled: 2, installs_retained: 0 }])
  expect(await kit.redis()).not.toContain(hire_id)
}

describe('a server', () => {
  test.each(isFull ? inside : ['released'])(
    `HIRE-24: that is killed at %s of a cancel, ${rounds} times, has changed nothing, and the next cancel does all`,
    { timeout },
    async (point) => {
      for (let round = 0; round < rounds; round += 1) {
        const hire = await built()
        const before = await rowsOf(hire.employer)
        const doomed = await server.start('api', { TEST_FAULT_POINTS: `hires.${point}:kill@1` })
        expect(await cancelBy(doomed, hire)).toBe('no answer')
        await doomed.ended
        expect([await rowsOf(hire.employer), await toldOf(hire.hire_id)]).toEqual([before, []])
        expect(await cancel(hire)).toMatchObject({ status: 200, body: { management_record_deleted: true } })
        await expectEnded(hire)
      }
    },
  )

  test.each(isFull ? after : ['ended'])(
    `HIRE-27: that is killed at %s of a cancel, ${rounds} times, leaves a hire that has ended, and the rest is removed`,
    { timeout },
    async (point) => {
      for (let round = 0; round < rounds; round += 1) {
        const hire = await built()
        const doomed = await server.start('api', { TEST_FAULT_POINTS: `hires.${point}:kill@1` })
        expect(await cancelBy(doomed, hire)).toBe('no answer')
        await doomed.ended
        expect((await rowsOf(hire.employer)).references).toEqual([])
        expect((await cancel(hire)).status).toBe(409)
        await expectEnded(hire)
      }
    },
  )

  test.each(isFull ? inside : ['released'])(
    `HIRE-37: that sleeps at %s of a cancel, ${rounds} times, gives way to another one`,
    { timeout },
    async (point) => {
      for (let round = 0; round < rounds; round += 1) {
        const hire = await built()
        const sleeper = await server.start('api', {
          ...quickToGiveUp,
          TEST_FAULT_POINTS: `hires.${point}:stop@1`,
        })
        const late = cancelBy(sleeper, hire)
        await untilFrozen(sleeper)
        // The second waits for as long as the first holds the hire.
        await waitFor(async () => (await cancel(hire)).status === 200, 30_000)
        sleeper.child.kill('SIGCONT')
        expect(await late).not.toBe(200)
        await sleeper.stop()
        await expectEnded(hire)
      }
    },
  )

  test.each(isFull ? inside : ['released'])(
    `HIRE-24: whose database is cut off at %s of a cancel, ${rounds} times, has changed nothing`,
    { timeout },
    async (point) => {
      const { url } = server.database
      const { hostname, port } = new URL(url)
      const proxy: FaultProxy = await startFaultProxy({ host: hostname, port: Number(port) })
      for (let round = 0; round < rounds; round += 1) {
        const hire = await built()
        const before = await rowsOf(hire.employer)
        const api = await server.start('api', {
          DATABASE_URL: proxy.through(url),
          TEST_FAULT_POINTS: `hires.${point}:stop@1`,
        })
        const late = cancelBy(api, hire)
        await untilFrozen(api)
        proxy.set({ kind: 'reset' })
        api.child.kill('SIGCONT')
        expect(await late).toBe(503)
        proxy.set({ kind: 'none' })
        await api.stop()
        expect([await rowsOf(hire.employer), await toldOf(hire.hire_id)]).toEqual([before, []])
        expect((await cancel(hire)).status).toBe(200)
        await expectEnded(hire)
      }
      await proxy.close()
    },
  )
})

describe('a worker', () => {
  test.each(isFull ? ['released', 'removal', 'removed'] : ['released'])(
    `HIRE-23, SYS-17: that is killed at %s of an end, ${rounds} times, is followed by another one that ends the hire once`,
    { timeout },
    async (point) => {
      for (let round = 0; round < rounds; round += 1) {
        const hire = await built()
        expect((await cancel(hire, 'cancel')).status).toBe(200)
        const doomed = await crew.doom(`hires.${point}:kill@1`)
        await due(hire)
        await sweepUntilStopped(doomed)
        await doomed.ended
        await crew.takeOver(doomed)
        await expectEnded(hire)
      }
    },
  )

  test.each(isFull ? ['released', 'removal', 'removed'] : ['removed'])(
    `HIRE-23, SYS-17: that sleeps at %s of an end, ${rounds} times, changes nothing when it wakes up`,
    { timeout },
    async (point) => {
      for (let round = 0; round < rounds; round += 1) {
        const hire = await built()
        expect((await cancel(hire, 'cancel')).status).toBe(200)
        const sleeper = await crew.doom(`hires.${point}:stop@1`)
        await due(hire)
        await sweepUntilStopped(sleeper)
        await crew.takeOver(sleeper)
        await expectEnded(hire)
        sleeper.child.kill('SIGCONT')
        await sleeper.stop()
        await expectEnded(hire)
      }
    },
  )
})
