import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock, type VirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import type { Answer, Credential } from '@crewhall/testkit/world/call.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { adminEnv } from '../identity/admin-verbs.ts'
import { admin, type Employer, hireVerbs, nothing } from './hire-verbs.ts'

const server = useServer('product', adminEnv)
const { at, hire, hiresOf, newEmployee, newEmployees, newEmployer, newStaff } = hireVerbs(server)
const minute = 60_000
let clock: VirtualClock
let profiles: string[]
beforeAll(async () => {
  clock = createVirtualClock(server.database.name)
  profiles = await newEmployees(8)
})
afterAll(() => clock?.close())

const take = async (by: Employer, from: number, to: number) => {
  for (const profile of profiles.slice(from, to)) expect((await hire(by, profile)).status).toBe(200)
}
const waitOf = ({ headers }: Answer) => Number(headers.get('retry-after'))
/** What is refused for the limit, with a wait that has at most these seconds and is no more than a minute shorter. */
function expectWait(answer: Answer, detail: string, seconds: number): void {
  expect(answer).toEqual({ status: 429, body: { detail } })
  expect(waitOf(answer)).toBeLessThanOrEqual(seconds)
  expect(waitOf(answer)).toBeGreaterThan(seconds - 60)
}
const manyHires = 'A workspace hires at most 5 employees in an hour'
const manyGrants = 'An admin grants at most 50 hires in an hour'

describe('HIRE-15 HIRE-G2 a workspace', () => {
  test('hires five in any 60 minutes: each makes room for one when its own hour is over', async () => {
    const own = await newEmployer()
    const next = () => hire(own, profiles[5] ?? '')
    await take(own, 0, 2)
    await clock.advance(30 * minute)
    await take(own, 2, 5)
    expectWait(await next(), manyHires, 30 * 60)
    await clock.advance(29 * minute)
    expectWait(await next(), manyHires, 60)
    await clock.advance(minute)
    await take(own, 5, 7)
    expectWait(await hire(own, profiles[7] ?? ''), manyHires, 30 * 60)
    expect(await hiresOf(own.brand_id)).toHaveLength(7)
    expect((await hire(await newEmployer(), profiles[7] ?? '')).status).toBe(200)
  })

  test('is not counted what was refused, and is counted what was canceled', async () => {
    const own = await newEmployer()
    await take(own, 0, 1)
    const plain = await newEmployee({ template: null })
    const subscribe = (status: string) =>
      at.sql('update identity.brands set subscription_status = $2 where id = $1', [own.brand_id, status])
    await subscribe('none')
    for (let i = 0; i < 3; i += 1) expect((await hire(own, profiles[1] ?? '')).status).toBe(402)
    await subscribe('active')
    for (let i = 0; i < 3; i += 1) {
      expect((await hire(own, profiles[0] ?? '')).status).toBe(409)
      expect((await hire(own, plain)).status).toBe(422)
      expect((await hire(own, nothing)).status).toBe(404)
    }
    await take(own, 1, 5)
    for (let i = 0; i < 3; i += 1) expect((await hire(own, profiles[5] ?? '')).status).toBe(429)
    await at.sql(
      `update hires.hires set status = 'canceled', canceled_at = platform.now(), effective_at = platform.now(),
         ended_at = platform.now() where brand_id = $1`,
      [own.brand_id],
    )
    expect((await hire(own, profiles[5] ?? '')).status).toBe(429)
    await clock.advance(60 * minute)
    await take(own, 0, 5)
  })
})

describe('HIRE-16 HIRE-G2 an admin', () => {
  const newBrands = async (count: number): Promise<number[]> => {
    const rows = await at.sql<{ id: number }>(
      `insert into identity.brands (name, plan_key, scope_ceiling)
       select 'Granted', 'free', '{}' from generate_series(1, $1) returning id`,
      [count],
    )
    return rows.map(({ id }) => id)
  }
  const grant = (by: Credential, brand_id = 0, profile = profiles[0] ?? '') => hire(by, profile, { brand_id })

  test('grants fifty in any 60 minutes over all workspaces, another admin has fifty of their own', async () => {
    const [staff, other] = [await newStaff(), await newStaff()]
    const brands = await newBrands(52)
    for (const brand_id of brands.slice(0, 50)) expect((await grant(staff, brand_id)).status).toBe(200)
    expectWait(await grant(staff, brands[50]), manyGrants, 60 * 60)
    // Refused for what comes before the limit, and not counted.
    expect((await grant(staff, brands[0])).status).toBe(409)
    expect((await grant(other, brands[50])).status).toBe(200)
    expect((await grant(admin, brands[51])).status).toBe(200)
    await clock.advance(59 * minute)
    expectWait(await grant(staff, brands[51], profiles[1]), manyGrants, 60)
    await clock.advance(minute)
    expect((await grant(staff, brands[51], profiles[1])).status).toBe(200)
  })

  test('keeps no more than what counts, and nothing of it limits a workspace', async () => {
    const staff = await newStaff()
    const own = await newEmployer()
    for (const profile of profiles.slice(0, 3))
      expect((await grant(staff, own.brand_id, profile)).status).toBe(200)
    const kept = () =>
      at.sql(`select from hires.grants where hire_id in (select id from hires.hires where brand_id = $1)`, [
        own.brand_id,
      ])
    expect(await kept()).toHaveLength(3)
    await take(own, 3, 8)
    await clock.advance(60 * minute)
    const [another] = await newBrands(1)
    expect((await grant(staff, another)).status).toBe(200)
    expect(await kept()).toEqual([])
  })
})
