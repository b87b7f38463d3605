import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FaultProxy, startFaultProxy } from '@crewhall/testkit/fault-proxy.ts'
import { untilFrozen } from '@crewhall/testkit/frozen.ts'
import { isFull, scaled } from '@crewhall/testkit/rounds.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { quickToGiveUp } from '@crewhall/testkit/take-over.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { WorkerCrew } from '@crewhall/testkit/worker-crew.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stepNames, useBuilds } from '../../hires/build-world.ts'
import type { Employer } from '../../hires/hire-verbs.ts'

const kit = useBuilds()
const { active, at, filesOf, hired, newEmployer, rowsOf } = kit

/** Before what a step does outside, before its commit, and after it; and within the directory. */
const points = [
  'claimed',
  ...stepNames
    .map((step) => step.replace('_', '-'))
    .flatMap((step) => [`${step}.prepared`, step, `${step}.done`]),
  'directory.written',
  'directory.renamed',
]
const rounds = scaled(20, 1)
// In the gate those that hurt most: effects outside of the database, and those of other modules.
const killed = isFull ? points : ['directory.renamed']
const frozen = isFull ? points : ['directory.written']
const cut = isFull ? points : ['tools']
const timeout = 90_000 * rounds

let employee: { profile_id: string; key: string }
let outside: Awaited<ReturnType<typeof kit.newPackage>>
beforeAll(async () => {
  outside = await kit.newPackage()
  employee = await kit.newWholeEmployee([outside.key])
})

/** One of everything, whatever happened on the way; and nothing else in rows, files, Redis and the queue. */
async function expectWhole(employer: Employer, hire_id: string): Promise<void> {
  const { key } = employee
  const { workstation_id } = await active(employer, hire_id)
  const { steps, ...rows } = await rowsOf(employer)
  expect(rows).toEqual({
    agents: [`${key} hired active`],
    services: [`${key} service`],
    tokens: [],
    sources: [`${key} agentboard boards`, `${key} claude_code directory`],
    installs: ['boards hire true', 'memory hire true', `${outside.key} hire true`],
    references: ['boards', 'memory', outside.key].map((name) => `${name} ${key} ${hire_id}`),
    desks: [`${workstation_id} ${key}`],
    records: [`${hire_id} ${key} 2 ${employer.brand_id}/hires/${hire_id}`],
    hires: [`${hire_id} active ${key}`],
  })
  // No step was done twice, and none has failed.
  expect(steps).toEqual(stepNames.map((step) => `${step} ${step === 'first_card' ? 'skipped' : 'done'} 1`))
  expect(filesOf(employer)).toEqual(
    ['PERSONA.md', 'WORKING.md', 'sessions/claude'].map((name) => `hires/${hire_id}/${name}`),
  )
  expect(await kit.redis()).not.toContain(hire_id)
}
const told = (hire_id: string) => kit.eventsOf(hire_id)
const allTold = ['hire.requested', ...stepNames.map((step) => `hire.step ${step}`), 'hire.active']
/** People without a workspace would be those of a service that was begun and never opened. */
const strayServices = () =>
  at.sql(`select p.id from identity.people p where p.kind = 'service'
    and not exists (select from identity.memberships m where m.person_id = p.id)`)

describe('a worker', () => {
  let crew: WorkerCrew
  beforeAll(async () => {
    crew = await WorkerCrew.open({
      database: kit.server.database.name,
      size: 2,
      start: (env) => kit.server.start('worker', { ...quickToGiveUp, ...env }),
    })
  })
  afterAll(() => crew.close())

  test.each(killed)(
    `HIRE-G5: that is killed at %s, ${rounds} times, leaves a hire that the next one completes`,
    { timeout },
    async (point) => {
      for (let round = 0; round < rounds; round += 1) {
        const employer = await newEmployer()
        const doomed = await crew.doom(`hires.${point}:kill@1`)
        const hire_id = await hired(employer, employee.profile_id)
        await doomed.ended
        const isOver = point === 'record.done'
        expect((await kit.read(employer, hire_id)).status).toBe(isOver ? 'active' : 'provisioning')
        await crew.takeOver(doomed)
        await expectWhole(employer, hire_id)
        expect(await told(hire_id)).toEqual(allTold)
        expect(await strayServices()).toEqual([])
      }
    },
  )

  test.each(frozen)(
    `HIRE-G5: that sleeps at %s, ${rounds} times, until another one has built the hire changes nothing when it wakes up`,
    { timeout },
    async (point) => {
      for (let round = 0; round < rounds; round += 1) {
        const employer = await newEmployer()
        const sleeper = await crew.doom(`hires.${point}:stop@1`)
        const hire_id = await hired(employer, employee.profile_id)
        await untilFrozen(sleeper)
        await crew.takeOver(sleeper)
        await expectWhole(employer, hire_id)
        sleeper.child.kill('SIGCONT')
        await sleeper.stop()
        await expectWhole(employer, hire_id)
        expect(await told(hire_id)).toEqual(allTold)
        expect(await strayServices()).toEqual([])
      }
    },
  )
})

describe('a database line', () => {
  let proxy: FaultProxy
  let worker: ServerProcess
  const dir = mkdtempSync(join(tmpdir(), 'crewhall-cut-'))
  const plan = join(dir, 'plan')
  beforeAll(async () => {
    const { url } = kit.server.database
    const { hostname, port } = new URL(url)
    proxy = await startFaultProxy({ host: hostname, port: Number(port) })
    writeFileSync(plan, '')
    worker = await kit.server.start('worker', {
      ...quickToGiveUp,
      JOBS_SUPERVISE_SECONDS: '1',
      DATABASE_URL: proxy.through(url),
      TEST_FAULT_POINTS: `@${plan}`,
    })
  })
  afterAll(async () => {
    await worker.stop()
    await proxy.close()
    rmSync(dir, { recursive: true, force: true })
  })

  test.each(cut)(
    `HIRE-G5: that is cut at %s, ${rounds} times, leaves a hire that is completed when it is back`,
    { timeout },
    async (point) => {
      for (let round = 0; round < rounds; round += 1) {
        const employer = await newEmployer()
        // A plan counts from when it was written: the same one again would be over.
        writeFileSync(plan, '')
        await settled()
        writeFileSync(plan, `hires.${point}:stop@1`)
        const hire_id = await hired(employer, employee.profile_id)
        await untilFrozen(worker)
        proxy.set({ kind: 'reset' })
        writeFileSync(plan, '')
        worker.child.kill('SIGCONT')
        const heard = () => worker.logs().filter(({ level }) => level === 'warn').length
        const before = heard()
        await waitFor(() => heard() > before, 30_000)
        proxy.set({ kind: 'none' })
        await hastened(employer, hire_id)
        await expectWhole(employer, hire_id)
        expect(await told(hire_id)).toEqual(allTold)
        expect(await strayServices()).toEqual([])
      }
    },
  )

  /** The worker has read the empty plan. */
  const settled = async () => {
    const employer = await newEmployer()
    await active(employer, await hired(employer, employee.profile_id))
  }
  /** Nobody needs to wait for the next attempt of the job. */
  async function hastened(employer: Employer, hire_id: string): Promise<void> {
    const admin = await kit.server.connection('superuser')
    await waitFor(async () => {
      await admin.query(
        `update pgboss.job set start_after = now() where name = 'hires.build' and state in ('created', 'retry')`,
      )
      return (await kit.read(employer, hire_id)).status === 'active'
    }, 60_000)
    await admin.end()
  }
})
