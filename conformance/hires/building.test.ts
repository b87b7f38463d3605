import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { verifyData } from '@crewhall/testkit/verify-data.ts'
import { createVirtualClock, type VirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stepNames, useBuilds } from './build-world.ts'
import type { Employer } from './hire-verbs.ts'

const kit = useBuilds()
const { at, active, eventsOf, filesOf, hired, newEmployee, newEmployer, newPackage, read, rowsOf, until } =
  kit

let clock: VirtualClock
let outside: Awaited<ReturnType<typeof newPackage>>
beforeAll(async () => {
  clock = createVirtualClock(kit.server.database.name)
  await kit.server.start('worker', clock.env)
  outside = await newPackage()
})
afterAll(() => clock.close())

const isFailed = ({ reason }: { reason: string | null }) => reason !== null
const jobsOf = (hire_id: string) =>
  at.sql<{ state: string }>(
    `select state from pgboss.job where name = 'hires.build' and data -> 'payload' ->> 'hire_id' = $1
       and state in ('created', 'retry', 'active')`,
    [hire_id],
  )

describe('a build', () => {
  test('HIRE-17 HIRE-18 gives the hire all that its template names, and makes it active last', async () => {
    const employer = await newEmployer()
    await at.sql('update identity.plans set source_cap = 0')
    const { profile_id, key } = await kit.newWholeEmployee([outside.key])
    const hire_id = await hired(employer, profile_id)
    const hire = await active(employer, hire_id)
    const { workstation_id } = hire
    expect(hire).toMatchObject({ agent_id: key, failures: 0, reason: null, next_try_at: null })
    expect(hire.steps.map(({ step }) => step)).toEqual(stepNames)
    const references = ['boards', 'memory', outside.key].map((name) => `${name} ${key} ${hire_id}`)
    expect(await rowsOf(employer)).toEqual({
      agents: [`${key} hired active`],
      services: [`${key} service`],
      tokens: [],
      sources: [`${key} agentboard boards`, `${key} claude_code directory`],
      installs: ['boards hire true', 'memory hire true', `${outside.key} hire true`],
      references,
      desks: [`${workstation_id} ${key}`],
      records: [`${hire_id} ${key} 2 ${employer.brand_id}/hires/${hire_id}`],
      hires: [`${hire_id} active ${key}`],
      steps: stepNames.map((step) => `${step} ${step === 'first_card' ? 'skipped' : 'done'} 1`),
    })
    expect(filesOf(employer)).toEqual(
      ['PERSONA.md', 'WORKING.md', 'sessions/claude'].map((name) => `hires/${hire_id}/${name}`),
    )
    const persona = join(kit.root, String(employer.brand_id), 'hires', hire_id, 'PERSONA.md')
    expect(readFileSync(persona, 'utf8')).toBe('# Übersetzer\n')
    const told = [...stepNames.map((step) => `hire.step ${step}`), 'hire.active']
    expect(await eventsOf(hire_id)).toEqual(['hire.requested', ...told])
    expect(await kit.redis()).not.toContain(hire_id)
    await waitFor(async () => (await jobsOf(hire_id)).length === 0, 30_000)
    // Its sources count, though the plan has room for none.
    const own = { agent_id: key, source_type: 'claude_code', config: {} }
    const detail = { error: 'quota_exceeded', limit: 0, current: 2 }
    expect(await at.call(employer, 'POST', '/api/v1/memory/sources', own)).toEqual({
      status: 403,
      body: { detail },
    })
  })

  test('HIRE-G5 that fails shows why, stays provisioning, climbs a ladder, and is mended by hand', async () => {
    const employer = await newEmployer()
    const lost = await newPackage()
    const { profile_id } = await kit.newWholeEmployee([lost.key])
    await lost.withdraw('1.0.0')
    const hire_id = await hired(employer, profile_id)
    const first = await until(employer, hire_id, isFailed)
    const reason = `Package ${lost.key}: Version not found`
    expect(first).toMatchObject({ status: 'provisioning', failures: 1, reason })
    expect(first.steps.map(({ status }) => status)).toEqual([
      ...['done', 'done', 'done', 'failed', 'pending', 'pending', 'pending'],
    ])
    expect(first.steps[3]).toMatchObject({ attempts: 1, reason })
    const before = await rowsOf(employer)
    // 30 seconds, 2 minutes: each try is one more failure, and nothing that was done is done again.
    for (const [failures, wait] of [
      [2, 30_000],
      [3, 120_000],
    ] as const) {
      await clock.advance(wait + 1000)
      await until(employer, hire_id, (hire) => hire.failures === failures)
    }
    const tried = before.steps.map((step) => step.replace('tools failed 1', 'tools failed 3'))
    expect(await rowsOf(employer)).toEqual({ ...before, steps: tried })
    // One chain of tries: the job that has failed ends a moment after its failure is noted.
    await waitFor(async () => (await jobsOf(hire_id)).length === 1, 30_000)
    await lost.publish('1.0.1')
    expect((await kit.retry(employer, hire_id)).status).toBe(200)
    const hire = await active(employer, hire_id)
    expect(hire).toMatchObject({ failures: 3, reason: null, next_try_at: null })
    const steps = stepNames.map((step) => `hire.step ${step}`)
    const failed = 'hire.build_failed tools'
    expect(await eventsOf(hire_id)).toEqual([
      ...['hire.requested', ...steps.slice(0, 3), failed, failed, failed],
      ...[...steps.slice(3), 'hire.active'],
    ])
    // The job of the ladder comes later, and finds nothing to do.
    const done = await rowsOf(employer)
    await clock.advance(3_600_000)
    await waitFor(async () => (await jobsOf(hire_id)).length === 0, 30_000)
    expect(await rowsOf(employer)).toEqual(done)
  })

  test('that asks a server which is down fails with the name of its package', async () => {
    const employer = await newEmployer()
    const away = await newPackage()
    const { profile_id } = await kit.newWholeEmployee([away.key])
    await away.tools.close()
    const hire_id = await hired(employer, profile_id)
    const { reason } = await until(employer, hire_id, isFailed)
    expect(reason).toMatch(new RegExp(`^Package ${away.key}: `))
  })

  test('whose directory cannot be made fails with the reason, follows no link, and succeeds when it can', async () => {
    const employer = await newEmployer()
    const home = join(kit.root, String(employer.brand_id))
    mkdirSync(home)
    writeFileSync(join(home, 'hires'), 'in the way')
    const hire_id = await hired(employer, await newEmployee())
    const { reason } = await until(employer, hire_id, isFailed)
    expect(reason).toBe('The directory cannot be written: there is a link or a file in its place')
    expect(filesOf(employer)).toEqual(['hires'])
    rmSync(join(home, 'hires'))
    await kit.retry(employer, hire_id)
    await active(employer, hire_id)
    expect(filesOf(employer)).toEqual([`hires/${hire_id}/PERSONA.md`, `hires/${hire_id}/sessions`])
  })

  test('HIRE-G5 whose job was lost is found by the minute', async () => {
    const employer = await newEmployer()
    const lost = await newPackage()
    const { profile_id } = await kit.newWholeEmployee([lost.key])
    await lost.withdraw('1.0.0')
    const hire_id = await hired(employer, profile_id)
    await until(employer, hire_id, isFailed)
    await lost.publish('1.0.1')
    const connection = await kit.server.connection('superuser')
    await connection.query(
      `delete from pgboss.job where name = 'hires.build' and data -> 'payload' ->> 'hire_id' = $1`,
      [hire_id],
    )
    await clock.advance(5 * 60_000)
    await active(employer, hire_id)
  })

  test('never takes over an agent of the workspace that bears the key of the employee', async () => {
    const employer = await newEmployer()
    const { profile_id, key } = await kit.newWholeEmployee([])
    await at.made(employer, 'POST', '/api/v1/agents', { agent_id: key, name: 'Ours' })
    const hire_id = await hired(employer, profile_id)
    const { agent_id } = await active(employer, hire_id)
    expect(agent_id).toBe(`${key}-${hire_id.slice(-8)}`)
    const { agents, services } = await rowsOf(employer)
    expect(agents).toEqual([`${key} created active`, `${agent_id} hired active`])
    expect(services).toEqual([`${agent_id} service`])
  })

  test('of a hire whose agent is retired meanwhile begins again with another, and leaves nothing of the first', async () => {
    const employer = await newEmployer()
    const lost = await newPackage()
    const { profile_id, key } = await kit.newWholeEmployee([lost.key])
    await lost.withdraw('1.0.0')
    const hire_id = await hired(employer, profile_id)
    await until(employer, hire_id, isFailed)
    await at.made(employer, 'POST', `/api/v1/agents/${key}/retire`)
    await lost.publish('1.0.1')
    await kit.retry(employer, hire_id)
    const { agent_id } = await active(employer, hire_id)
    const rows = await rowsOf(employer)
    expect(rows.agents).toEqual([`${key} hired retired`, `${agent_id} hired active`])
    expect(rows.services).toEqual([`${agent_id} service`, `${key} removed`].toSorted())
    expect(rows.sources).toEqual([`${agent_id} agentboard boards`, `${agent_id} claude_code directory`])
    expect(new Set(rows.references.map((each) => each.split(' ')[1]))).toEqual(new Set([agent_id]))
  })

  test('of an employee that was hired before gives the new hire the same agent, and a directory and sources of its own', async () => {
    const employer = await newEmployer()
    const { profile_id, key } = await kit.newWholeEmployee([])
    const first = await active(employer, await hired(employer, profile_id))
    await at.sql(
      `update hires.hires set status = 'canceled', canceled_at = platform.now(), effective_at = current_period_end,
         cancel_at_period_end = true where id = $1`,
      [first.hire_id],
    )
    const second = await active(employer, await hired(employer, profile_id))
    expect(second.agent_id).toBe(key)
    const rows = await rowsOf(employer)
    expect(rows.agents).toEqual([`${key} hired active`])
    expect(rows.services).toEqual([`${key} service`])
    expect(rows.sources).toHaveLength(4)
    expect(rows.references).toHaveLength(4)
    // Both run, so each has its desk.
    expect(rows.desks).toEqual(
      [`${first.workstation_id} ${key}`, `${second.workstation_id} ${key}`].toSorted(),
    )
    const directories = filesOf(employer).map((path) => path.split('/')[1])
    expect(new Set(directories)).toEqual(new Set([first.hire_id, second.hire_id]))
  })

  test('names the first card that is ready', async () => {
    const employer = await newEmployer()
    const board = await newBoard(employer)
    const urgent = await newCard(employer, board, { title: 'Urgent', priority: 'urgent' })
    await newCard(employer, board, { title: 'Later', priority: 'low' })
    const hire_id = await hired(employer, await newEmployee())
    const hire = await active(employer, hire_id)
    expect(hire.first_task_id).toBe(urgent)
    expect(await read(employer, hire_id)).toEqual(hire)
  })
})

test('verify-data names active hires with an open step, without their record, of another period and without one of its references', async () => {
  const employer = await newEmployer()
  const next = async () => active(employer, await hired(employer, await newEmployee()))
  const [open, bare, late, greedy] = [await next(), await next(), await next(), await next()]
  const setStep = `update hires.build_steps set status = $2 where hire_id = $1 and step = 'tools'`
  const setEnd = `update hires.hires set current_period_end = current_period_end + $2::interval where id = $1`
  await at.sql(setStep, [open.hire_id, 'pending'])
  const [row] = await at.sql<{ record: object }>(
    'delete from hires.management_records where hire_id = $1 returning to_jsonb(management_records) as record',
    [bare.hire_id],
  )
  await at.sql(setEnd, [late.hire_id, '1 day'])
  await at.sql(`update hires.management_records set packages = packages || '{lost}' where hire_id = $1`, [
    greedy.hire_id,
  ])
  const { code, output } = await verifyData(kit.server.database.url)
  expect(code).toBe(1)
  const told = output.split('\n').filter((line) => line.includes('should be'))
  expect(told.map((line) => line.split(' (')[0]).toSorted()).toEqual(
    [
      `hires.hires.current_period_end of ${late.hire_id}`,
      `hires.hires.record of ${bare.hire_id}`,
      `hires.hires.references of ${greedy.hire_id}`,
      `hires.hires.steps of ${open.hire_id}`,
    ].toSorted(),
  )
  await at.sql(setStep, [open.hire_id, 'done'])
  await at.sql(setEnd, [late.hire_id, '-1 day'])
  await at.sql(
    `update hires.management_records set packages = array_remove(packages, 'lost') where hire_id = $1`,
    [greedy.hire_id],
  )
  await at.sql(
    `insert into hires.management_records
     select (jsonb_populate_record(null::hires.management_records, $1::jsonb)).*`,
    [JSON.stringify(row?.record)],
  )
})

async function newBoard(employer: Employer): Promise<string> {
  const { id } = await at.made<{ id: string }>(employer, 'POST', '/api/v1/board/boards', {
    name: 'Work',
    key: 'WORK',
  })
  return id
}
async function newCard(employer: Employer, board_id: string, card: object): Promise<string> {
  const path = `/api/v1/board/boards/${board_id}/tasks`
  return (await at.made<{ id: string }>(employer, 'POST', path, card)).id
}
