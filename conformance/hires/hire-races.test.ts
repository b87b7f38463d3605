import { race } from '@crewhall/testkit/race.ts'
import { roundsFor, scaled } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { whileLocked } from '@crewhall/testkit/while-locked.ts'
import type { Answer, Credential } from '@crewhall/testkit/world/call.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { adminEnv } from '../identity/admin-verbs.ts'
import { type Employer, type Hired, hireVerbs } from './hire-verbs.ts'

const server = useServer('probe', adminEnv)
const { at, hire, hiresOf, newEmployees, newEmployer, newStaff } = hireVerbs(server)
const hireNaively = (by: Credential, profile_id: string, body: unknown = {}) =>
  at.call<Hired>(by, 'POST', `/api/v1/probe/employees/${profile_id}/hire`, body)
type Hiring = typeof hire

const [atOnce, profilesAtOnce, grantsAtOnce] = [50, 25, 60]
const rounds = roundsFor(50, 0.8)
const roundsOfGrants = scaled(20, 3)
let profiles: string[]
let profile_id: string
beforeAll(async () => {
  profiles = await newEmployees(profilesAtOnce)
  profile_id = profiles[0] ?? ''
})

const answersOf = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
  outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value as Answer<Hired>] : []))
const counted = (answers: readonly Answer[]) => {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return JSON.stringify(counts)
}
const none = (of: number) => ({ rounds: of, wrong: 0, examples: [] })
const unless = (expected: string, found: string) =>
  found === expected ? undefined : `${found}, not ${expected}`

describe(`HIRE-13 ${atOnce} hires of one employee at once, ${rounds} rounds`, () => {
  const run = (by: Hiring, isTwin = false) =>
    race<Employer>({
      rounds,
      isTwin,
      clients: atOnce,
      setup: () => newEmployer(),
      act: (employer) => by(employer, profile_id),
      async verdict({ brand_id }, outcomes) {
        const answers = answersOf(outcomes)
        const rows = await hiresOf(brand_id)
        const told = answers.map(({ body }) => {
          const detail = body.detail as { existing_hire_id?: string } | undefined
          return body.hire_id ?? detail?.existing_hire_id
        })
        if (rows.length !== 1) return `${rows.length} hires`
        if (told.some((id) => id !== rows[0]?.id)) return 'somebody was told of another hire'
        return unless(JSON.stringify({ 200: 1, 409: atOnce - 1 }), counted(answers))
      },
    })

  test('one is made, and all others are told of it', async () => {
    expect(await run(hire)).toEqual(none(rounds))
  })
  test('a twin that looks without a lock fails', async () => {
    expect((await run(hireNaively, true)).wrong).toBeGreaterThan(0)
  })
})

describe(`HIRE-15 ${profilesAtOnce} employees hired at once on a fresh hour, ${rounds} rounds`, () => {
  const run = (by: Hiring, isTwin = false) =>
    race<Employer>({
      rounds,
      isTwin,
      clients: profilesAtOnce,
      setup: () => newEmployer(),
      act: (employer, client) => by(employer, profiles[client] ?? ''),
      async verdict({ brand_id }, outcomes) {
        const rows = await hiresOf(brand_id)
        if (rows.length !== 5) return `${rows.length} hires`
        return unless(JSON.stringify({ 200: 5, 429: profilesAtOnce - 5 }), counted(answersOf(outcomes)))
      },
    })

  test('five are admitted', async () => {
    expect(await run(hire)).toEqual(none(rounds))
  })
  test('a twin that counts without a lock admits more', async () => {
    expect((await run(hireNaively, true)).examples[0]).toMatch(/ hires$/)
  })
})

describe(`HIRE-16 ${grantsAtOnce} grants of one admin to as many workspaces, ${roundsOfGrants} rounds`, () => {
  const newBrands = async (count: number): Promise<number[]> => {
    const rows = await at.sql<{ id: number }>(
      `insert into identity.brands (name, plan_key, scope_ceiling)
       select 'Granted', 'free', '{}' from generate_series(1, $1) returning id`,
      [count],
    )
    return rows.map(({ id }) => id)
  }
  const run = (by: Hiring, isTwin = false) =>
    race<{ admin: Credential; brands: number[] }>({
      rounds: roundsOfGrants,
      isTwin,
      clients: grantsAtOnce,
      setup: async () => ({ admin: await newStaff(), brands: await newBrands(grantsAtOnce) }),
      act: ({ admin, brands }, client) => by(admin, profile_id, { brand_id: brands[client] }),
      verdict: async (_, outcomes) =>
        unless(JSON.stringify({ 200: 50, 429: grantsAtOnce - 50 }), counted(answersOf(outcomes))),
    })

  test('fifty are admitted', async () => {
    expect(await run(hire)).toEqual(none(roundsOfGrants))
  })
  test('a twin that counts without a lock admits more', async () => {
    expect((await run(hireNaively, true)).examples[0]).toMatch(/"200":(5[1-9]|60)\D/)
  })
})

describe('HIRE-09 a subscription that lapses between the look and the commit', () => {
  const lapse = async (by: Hiring) => {
    const employer = await newEmployer()
    const lock = `update identity.brands set subscription_status = 'canceled' where id = ${employer.brand_id}`
    const [answer] = await whileLocked(server.database.name, lock, [() => by(employer, profile_id)])
    return { status: answer?.status, hires: (await hiresOf(employer.brand_id)).length }
  }

  test('lets no hire through', async () => {
    expect(await lapse(hire)).toEqual({ status: 402, hires: 0 })
  })
  test('lets one through for a twin that only looks', async () => {
    expect(await lapse(hireNaively)).toEqual({ status: 200, hires: 1 })
  })
})

test('HIRE-12 an employee that is withdrawn between the look and the commit is not hired', async () => {
  const employer = await newEmployer()
  const [withdrawn = ''] = await newEmployees(1)
  const lock = `update hires.employees set status = 'withdrawn' where profile_id = '${withdrawn}'`
  const [answer] = await whileLocked(server.database.name, lock, [() => hire(employer, withdrawn)])
  expect(answer).toEqual({ status: 404, body: { detail: 'Employee not found' } })
  expect(await hiresOf(employer.brand_id)).toEqual([])
})

test('an employee that is published anew between the look and the commit is hired in its new version', async () => {
  const employer = await newEmployer()
  const [published = ''] = await newEmployees(1)
  const lock = `
    insert into hires.employee_versions select profile_id, 2, name, title, summary, description, good_at, is_builder, template,
      published_at from hires.employee_versions where profile_id = '${published}';
    update hires.employees set version = 2 where profile_id = '${published}'`
  const [answer] = await whileLocked(server.database.name, lock, [() => hire(employer, published)])
  expect(answer?.status).toBe(200)
  const { hire_id = '' } = answer?.body ?? {}
  expect(await at.sql('select version from hires.hires where id = $1', [hire_id])).toEqual([{ version: 2 }])
})
