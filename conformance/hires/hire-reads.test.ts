import { useServer } from '@crewhall/testkit/test-server.ts'
import type { Credential } from '@crewhall/testkit/world/call.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { adminEnv } from '../identity/admin-verbs.ts'
import { admin, type Employer, hireVerbs, nothing } from './hire-verbs.ts'

const server = useServer('product', adminEnv)
const { at, hire, listHires, newEmployees, newEmployer, newStaff, readHire, retry } = hireVerbs(server)
const notFound = { status: 404, body: { detail: 'Hire not found' } }
const notFailed = { status: 409, body: { detail: 'The build of this hire has not failed' } }
const steps = ['agent', 'directory', 'sources', 'tools', 'desk', 'first_card', 'record']

let employer: Employer
let profiles: string[]
beforeAll(async () => {
  employer = await newEmployer()
  profiles = await newEmployees(5)
})
const hired = async (by: Employer, profile_id = profiles[0] ?? ''): Promise<string> =>
  (await hire(by, profile_id)).body.hire_id

describe('HIRE-G7 a hire', () => {
  test('is read with its period and the steps of its build', async () => {
    const hire_id = await hired(employer)
    const { status, body } = await readHire(employer, hire_id)
    expect(status).toBe(200)
    const { created_at, current_period_end, key } = body
    expect(body).toEqual({
      hire_id,
      profile_id: profiles[0],
      key,
      name: 'Translator',
      version: 1,
      is_builder: false,
      status: 'provisioning',
      onboarding_url: `/dashboard/agents/onboarding?hire=${hire_id}`,
      agent_id: null,
      workstation_id: null,
      project_id: null,
      is_grant: false,
      hired_by: employer.person_id,
      current_period_end,
      cancel_at_period_end: false,
      created_at,
      activated_at: null,
      canceled_at: null,
      effective_at: null,
      ended_at: null,
      steps: steps.map((step) => ({ step, status: 'pending', attempts: 0, reason: null, done_at: null })),
      failures: 0,
      reason: null,
      next_try_at: null,
      first_task_id: null,
    })
  })

  test('HIRE-G13 lasts a month from its day, granted or not', async () => {
    const own = await newEmployer()
    const granted = await hire(admin, profiles[1] ?? '', { brand_id: own.brand_id })
    for (const hire_id of [await hired(own), granted.body.hire_id]) {
      const { created_at, current_period_end } = (await readHire(own, hire_id)).body
      const [row] = await at.sql<{ is_month: boolean }>(
        `select ($1::timestamp + interval '1 month') = $2::timestamp as is_month`,
        [created_at, current_period_end],
      )
      expect(row).toEqual({ is_month: true })
    }
  })

  test.each([
    ['2026-01-31T10:00:00Z', 1, '2026-02-28T10:00:00.000Z'],
    ['2026-01-31T10:00:00Z', 2, '2026-03-31T10:00:00.000Z'],
    ['2026-01-31T23:30:00Z', 3, '2026-04-30T23:30:00.000Z'],
    ['2028-01-31T00:00:00Z', 1, '2028-02-29T00:00:00.000Z'],
    ['2026-03-08T02:30:00Z', 12, '2027-03-08T02:30:00.000Z'],
  ])('HIRE-G13 of %s ends after %i months at %s, in every time zone', async (from, periods, end) => {
    const client = await server.connection('application')
    for (const zone of ['UTC', 'America/New_York', 'Pacific/Kiritimati']) {
      await client.query(`set timezone = '${zone}'`)
      const { rows } = await client.query<{ ends: Date }>('select hires.period_end($1, $2) as ends', [
        from,
        periods,
      ])
      expect(rows[0]?.ends.toISOString()).toBe(end)
    }
  })

  test('is read by its workspace and by platform admins, and does not exist for others', async () => {
    const hire_id = await hired(await newEmployer())
    for (const by of [admin, await newStaff()])
      expect((await readHire(by, hire_id)).body).toMatchObject({ hire_id })
    expect(await readHire(employer, hire_id)).toEqual(notFound)
    for (const id of [nothing, 'x']) {
      expect(await readHire(employer, id)).toEqual(notFound)
      expect(await readHire(admin, id)).toEqual(notFound)
    }
  })

  test('and lists are for sessions: a token and nobody get 401', async () => {
    const hire_id = await hired(await newEmployer())
    const callers: Credential[] = [null, { token: await at.newToken(employer, ['brand:read']) }]
    for (const by of callers) {
      expect((await readHire(by, hire_id)).status).toBe(401)
      expect((await retry(by, hire_id)).status).toBe(401)
      expect((await listHires(by)).status).toBe(401)
    }
  })
})

test('HIRE-G7 hires are listed newest first, page by page, by status, and those of others are not', async () => {
  const [own, other] = [await newEmployer(), await newEmployer()]
  const made: string[] = []
  for (const profile of profiles) made.unshift(await hired(own, profile))
  await hired(other)
  await at.sql(
    `update hires.hires set status = 'canceled', canceled_at = now(), effective_at = now(), ended_at = now() where id = $1`,
    [made[1]],
  )
  const idsOf = (page: { items: { hire_id: string }[] }) => page.items.map(({ hire_id }) => hire_id)
  expect(idsOf((await listHires(own)).body)).toEqual(made)
  const first = (await listHires(own, '?limit=3')).body
  expect(idsOf(first)).toEqual(made.slice(0, 3))
  const second = (await listHires(own, `?limit=3&after=${first.next_after}`)).body
  expect(idsOf(second)).toEqual(made.slice(3))
  expect(second.next_after).toBeNull()
  expect(idsOf((await listHires(own, '?status=canceled')).body)).toEqual([made[1]])
  expect(idsOf((await listHires(own, '?status=active')).body)).toEqual([])
  expect(idsOf((await listHires(own, `?status=provisioning&after=${made[2]}`)).body)).toEqual(made.slice(3))
  expect((await listHires(own, '?status=cancelled')).status).toBe(422)
})

describe('a build', () => {
  const jobsOf = async (hire_id: string) =>
    (
      await at.sql(
        `select from pgboss.job where name = 'hires.build' and data -> 'payload' ->> 'hire_id' = $1`,
        [hire_id],
      )
    ).length
  const fail = (hire_id: string) =>
    at.sql(
      `update hires.hires set failures = failures + 1, reason = 'a package is gone',
         next_try_at = now() + interval '1 hour' where id = $1`,
      [hire_id],
    )
  const auditOf = (hire_id: string) =>
    at.sql(
      `select actor_kind, old_value from platform.audit_entries where action = 'hire.retried' and target = $1`,
      [`hire:${hire_id}`],
    )

  test('that has failed shows its reason, and is tried again once for each call after a failure', async () => {
    const own = await newEmployer()
    const hire_id = await hired(own)
    expect(await retry(own, hire_id)).toEqual(notFailed)
    await fail(hire_id)
    const failed = (await readHire(own, hire_id)).body
    expect(failed).toMatchObject({ status: 'provisioning', failures: 1, reason: 'a package is gone' })
    expect(Date.parse(failed.next_try_at ?? '')).toBeGreaterThan(Date.now())
    const answers = await Promise.all([1, 2, 3, 4].map(() => retry(own, hire_id)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409])
    const again = answers.find(({ status }) => status === 200)?.body
    expect(again).toMatchObject({ hire_id, failures: 1, reason: null, next_try_at: null })
    expect(await jobsOf(hire_id)).toBe(2)
    expect(await auditOf(hire_id)).toEqual([{ actor_kind: 'person', old_value: { failures: 1 } }])
  })

  test('is retried by a platform admin as well, by nobody else, and not once it is canceled', async () => {
    const own = await newEmployer()
    const hire_id = await hired(own)
    await fail(hire_id)
    expect(await retry(employer, hire_id)).toEqual(notFound)
    expect(await retry(admin, nothing)).toEqual(notFound)
    expect((await retry(admin, hire_id)).status).toBe(200)
    expect(await auditOf(hire_id)).toMatchObject([{ actor_kind: 'admin_key' }])
    await fail(hire_id)
    await at.sql(
      `update hires.hires set status = 'canceled', canceled_at = now(), effective_at = now(), ended_at = now() where id = $1`,
      [hire_id],
    )
    expect(await retry(own, hire_id)).toEqual(notFailed)
  })
})
