import { randomUUID } from 'node:crypto'
import { useServer } from '@crewhall/testkit/test-server.ts'
import type { Credential } from '@crewhall/testkit/world/call.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { adminEnv } from '../identity/admin-verbs.ts'
import { admin, type Employer, hireVerbs, nothing } from './hire-verbs.ts'

const server = useServer('product', adminEnv)
const {
  at,
  change,
  hire,
  hiresOf,
  newEmployee,
  newEmployees,
  newEmployer,
  newStaff,
  publish,
  withdraw,
  ...verbs
} = hireVerbs(server)
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const refusal = (status: number, detail: unknown) => ({ status, body: { detail } })
const unauthenticated = refusal(401, 'Not authenticated')
const notFound = refusal(404, 'Employee not found')
const unpaid = refusal(402, 'The workspace has no active subscription')
const noTemplate = refusal(422, 'The employee has no deployable template yet')
const needsBrand = refusal(422, 'brand_id: is required')
const held = (existing_hire_id: string) =>
  refusal(409, { message: 'The workspace holds this employee already', existing_hire_id })

let employer: Employer
let profile_id: string
beforeAll(async () => {
  employer = await newEmployer()
  profile_id = await newEmployee()
})

const auditOf = (brand_id: number) =>
  at.sql<{ actor_kind: string; actor_person_id: number | null; changed_to: Record<string, unknown> }>(
    `select actor_kind, actor_person_id, new_value as changed_to from platform.audit_entries
     where brand_id = $1 and action = 'hire.requested' order by id`,
    [brand_id],
  )
const countOf = async (text: string, ...values: unknown[]) =>
  (await at.sql<{ count: number }>(`select count(*)::int as count from ${text}`, values))[0]?.count

describe('a workspace', () => {
  test('HIRE-01 HIRE-02 HIRE-03 HIRE-05 HIRE-11 HIRE-18 hires with an empty object and nothing else', async () => {
    const { status, body } = await hire(employer, profile_id)
    expect(status).toBe(200)
    const { hire_id } = body
    expect(hire_id).toMatch(uuid)
    const onboarding_url = `/dashboard/agents/onboarding?hire=${hire_id}`
    expect(body).toEqual({ hire_id, status: 'provisioning', onboarding_url })
    expect(await hiresOf(employer.brand_id)).toEqual([
      { id: hire_id, status: 'provisioning', profile_id, is_grant: false },
    ])
    const to = { profile_id, version: 1, status: 'provisioning', is_grant: false, comp_reason: null }
    expect(await auditOf(employer.brand_id)).toEqual([
      { actor_kind: 'person', actor_person_id: employer.person_id, changed_to: to },
    ])
    expect(
      await at.sql('select type, data from platform.workspace_events where brand_id = $1', [
        employer.brand_id,
      ]),
    ).toEqual([{ type: 'hire.requested', data: { hire_id, profile_id, status: 'provisioning' } }])
    expect(
      await countOf(
        `pgboss.job where name = 'hires.build' and data -> 'payload' ->> 'hire_id' = $1`,
        hire_id,
      ),
    ).toBe(1)
  })

  test('hires without a body, and once for a repeated Idempotency-Key', async () => {
    const own = await newEmployer()
    const path = `/api/v1/employees/${profile_id}/hire`
    const send = () => at.call(own, 'POST', path, undefined, { 'idempotency-key': 'a-hire-of-this-test' })
    const first = await send()
    expect(first.status).toBe(200)
    expect(await send()).toEqual(first)
    expect(await hiresOf(own.brand_id)).toHaveLength(1)
  })

  test('HIRE-06 is the one of the session, whatever the body says', async () => {
    const [one, other] = [await newEmployer(), await newEmployer()]
    const [first = '', ...more] = await newEmployees(3)
    expect((await hire(one, first, { brand_id: other.brand_id, comp_reason: 'free' })).status).toBe(200)
    for (const [at, body] of [{ brand_id: 'none' }, { brand_id: 0, comp_reason: 7 }].entries())
      expect((await hire(one, more[at] ?? '', body)).status).toBe(200)
    expect((await hiresOf(one.brand_id)).map(({ is_grant }) => is_grant)).toEqual([false, false, false])
    expect(await hiresOf(other.brand_id)).toEqual([])
    expect((await auditOf(one.brand_id)).map(({ changed_to }) => changed_to.comp_reason)).toEqual([
      null,
      null,
      null,
    ])
  })

  test.each(['none', 'past_due', 'canceled'])(
    'HIRE-09 does not hire while its subscription is %s',
    async (status) => {
      const own = await newEmployer(status)
      expect(await hire(own, profile_id)).toEqual(unpaid)
      expect(await hiresOf(own.brand_id)).toEqual([])
    },
  )

  test('HIRE-09 does not hire after the end of its subscription', async () => {
    const own = await newEmployer()
    const end = (when: string) =>
      at.sql(`update identity.brands set subscription_ends_at = now() + $2::interval where id = $1`, [
        own.brand_id,
        when,
      ])
    await end('-1 second')
    expect(await hire(own, profile_id)).toEqual(unpaid)
    await end('1 hour')
    expect((await hire(own, profile_id)).status).toBe(200)
  })

  test('HIRE-13 HIRE-G1 holds an employee once, also while it is built, and again once it is canceled', async () => {
    const own = await newEmployer()
    const { hire_id } = (await hire(own, profile_id)).body
    expect(await hire(own, profile_id)).toEqual(held(hire_id))
    expect(await hire(admin, profile_id, { brand_id: own.brand_id })).toEqual(held(hire_id))
    await cancelAtPeriodEnd(hire_id)
    const again = (await hire(own, profile_id)).body.hire_id
    expect(again).toMatch(uuid)
    expect(again).not.toBe(hire_id)
    expect(await hire(own, profile_id)).toEqual(held(again))
  })

  test('HIRE-02 HIRE-12 does not hire what is unknown, a draft or withdrawn', async () => {
    const draft = await verbs.create(verbs.newKey())
    const gone = await newEmployee()
    await withdraw(gone)
    for (const id of [nothing, draft.profile_id, gone, 'reviewer'])
      expect(await hire(employer, id)).toEqual(notFound)
    await publish(gone)
    expect((await hire(await newEmployer(), gone.toUpperCase())).status).toBe(200)
  })

  test('HIRE-14 does not hire what has no template', async () => {
    expect(await hire(await newEmployer(), await newEmployee({ template: null }))).toEqual(noTemplate)
  })
})

/** As a cancellation leaves it until the end of its period. */
const cancelAtPeriodEnd = (hire_id: string) =>
  at.sql(
    `update hires.hires set status = 'canceled', cancel_at_period_end = true, canceled_at = now(),
       effective_at = current_period_end where id = $1`,
    [hire_id],
  )

describe('a platform admin', () => {
  test('AUTH-07 HIRE-04 HIRE-07 HIRE-10 grants by the key, to a workspace that pays nothing', async () => {
    const { brand_id } = await newEmployer('none')
    const body = { brand_id, comp_reason: 'a pilot' }
    const { hire_id } = (await hire(admin, profile_id, body)).body
    expect(await hiresOf(brand_id)).toEqual([
      { id: hire_id, status: 'provisioning', profile_id, is_grant: true },
    ])
    expect(await auditOf(brand_id)).toMatchObject([
      {
        actor_kind: 'admin_key',
        actor_person_id: null,
        changed_to: { is_grant: true, comp_reason: 'a pilot' },
      },
    ])
    const staff = await newStaff()
    expect((await verbs.readHire(staff, hire_id)).body).toMatchObject({
      hire_id,
      is_grant: true,
      hired_by: null,
    })
  })

  test('AUTH-08 HIRE-04 grants by a staff session, also while it is in a workspace, and with no reason', async () => {
    const person_id = await at.newPerson(true)
    const own = await at.join(await at.newBrand(), 'admin', person_id)
    const { brand_id } = await newEmployer('none')
    const cookie = await at.newCookie(person_id, own.brand_id)
    expect((await hire({ cookie }, profile_id, { brand_id })).status).toBe(200)
    expect(await hiresOf(own.brand_id)).toEqual([])
    expect(await auditOf(brand_id)).toMatchObject([
      { actor_kind: 'person', actor_person_id: person_id, changed_to: { comp_reason: null } },
    ])
  })

  test('HIRE-07 HIRE-08 has to name a workspace, and a staff session never stands for its own', async () => {
    const person_id = await at.newPerson(true)
    const own = await newEmployer()
    await at.join(own.brand_id, 'admin', person_id)
    const staff = { cookie: await at.newCookie(person_id, own.brand_id) }
    for (const by of [admin, staff]) {
      expect(await hire(by, profile_id)).toEqual(needsBrand)
      for (const brand_id of [String(own.brand_id), 1.5, null, true, 2 ** 40])
        expect((await hire(by, profile_id, { brand_id })).status).toBe(422)
      expect((await hire(by, profile_id, { brand_id: own.brand_id, comp_reason: '' })).status).toBe(422)
    }
    expect(await hiresOf(own.brand_id)).toEqual([])
  })

  test('HIRE-G4 is told that a workspace does not exist, also one that was erased', async () => {
    const noBrand = refusal(404, 'Brand not found')
    const { brand_id } = await newEmployer()
    await at.sql('update identity.brands set erased_at = now() where id = $1', [brand_id])
    for (const gone of [2_000_000_000, brand_id])
      expect(await hire(admin, profile_id, { brand_id: gone })).toEqual(noBrand)
    expect(await hiresOf(brand_id)).toEqual([])
  })
})

describe('HIRE-G3 of several reasons to refuse, the first counts:', () => {
  const callers: [string, () => Promise<Credential> | Credential, Record<string, string>][] = [
    ['nobody', () => null, {}],
    ['a wrong key', () => ({ admin_key: 'wrong' }), {}],
    ['a wrong key with a session', () => employer, { 'x-admin-key': 'wrong' }],
    ['a token', async () => ({ token: await at.newToken(employer, ['brand:admin']) }), {}],
    ['an unknown session', () => ({ cookie: 'crewhall_session=x' }), {}],
  ]
  test.each(callers)('401 for %s, before the body and the employee are looked at', async (_, by, headers) => {
    const path = `/api/v1/employees/${nothing}/hire`
    expect(await at.call(await by(), 'POST', path, { brand_id: 'x' }, headers)).toEqual(unauthenticated)
  })

  test('422 for brand_id, then 404 for the workspace, then for the employee', async () => {
    expect(await hire(admin, nothing)).toEqual(needsBrand)
    expect(await hire(admin, nothing, { brand_id: 2_000_000_000 })).toEqual(refusal(404, 'Brand not found'))
    const { brand_id } = await newEmployer()
    expect(await hire(admin, nothing, { brand_id })).toEqual(notFound)
  })

  test('404, then 402, then 409, then 422 for the template, then 429', async () => {
    const own = await newEmployer('none')
    expect(await hire(own, nothing)).toEqual(notFound)
    const subscribe = (status: string) =>
      at.sql('update identity.brands set subscription_status = $2 where id = $1', [own.brand_id, status])
    await subscribe('active')
    const [first = '', ...more] = await newEmployees(6)
    const { hire_id } = (await hire(own, first)).body
    for (const each of more.slice(0, 4)) expect((await hire(own, each)).status).toBe(200)
    const plain = await newEmployee({ template: null })
    await change(first, { template: null })
    await publish(first)
    await subscribe('canceled')
    expect(await hire(own, first)).toEqual(unpaid)
    await subscribe('active')
    expect(await hire(own, first)).toEqual(held(hire_id))
    expect(await hire(own, plain)).toEqual(noTemplate)
    expect((await hire(own, more[4] ?? '')).status).toBe(429)
  })
})

describe('a builder', () => {
  const builder = () => newEmployee({ is_builder: true })
  const desksOf = (brand_id: number) =>
    at.sql<{ id: string; name: string; runtime: string; project_id: string | null; state: string }>(
      'select id, name, runtime, project_id, state from fleet.desks where brand_id = $1 order by id',
      [brand_id],
    )
  async function addProject(brand_id: number, attached: string): Promise<string> {
    const id = randomUUID()
    await at.sql(`insert into code_index.projects (brand_id, id, name) values ($1, $2, 'P')`, [brand_id, id])
    await at.sql(
      `insert into code_index.repositories (brand_id, project_id, url, generation, attached_at)
       values ($1, $2, 'https://example.test/r.git', 1, $3)`,
      [brand_id, id, attached],
    )
    return id
  }

  test('HIRE-19 HIRE-G6 gets one desk with the hire, for the oldest repository, whatever the plan has room for', async () => {
    const own = await newEmployer()
    await addProject(own.brand_id, '2026-02-01T00:00:00Z')
    const oldest = await addProject(own.brand_id, '2026-01-01T00:00:00Z')
    await at.sql(`insert into identity.plans select * from jsonb_populate_record(
       (select p from identity.plans p where key = 'free'), '{"key": "deskless", "desk_cap": 0}')
       on conflict do nothing`)
    await at.sql(`update identity.brands set plan_key = 'deskless' where id = $1`, [own.brand_id])
    expect((await at.call(own, 'POST', '/api/v1/workstations', { name: 'D' })).status).toBe(403)
    const { hire_id } = (await hire(own, await builder())).body
    const desks = await desksOf(own.brand_id)
    expect(desks).toEqual([
      { id: desks[0]?.id, name: 'Translator', runtime: 'codex', project_id: oldest, state: 'provisioning' },
    ])
    expect((await verbs.readHire(own, hire_id)).body).toMatchObject({
      workstation_id: desks[0]?.id,
      project_id: oldest,
    })
    expect(await countOf('fleet.join_secrets where brand_id = $1', own.brand_id)).toBe(0)
  })

  test('works on the project that is named; one without a repository, unknown or foreign is refused', async () => {
    const [own, other] = [await newEmployer(), await newEmployer()]
    const oldest = await addProject(own.brand_id, '2026-01-01T00:00:00Z')
    const named = await addProject(own.brand_id, '2026-02-01T00:00:00Z')
    const foreign = await addProject(other.brand_id, '2026-01-01T00:00:00Z')
    const profile = await builder()
    for (const project_id of [nothing, foreign]) {
      const refused = refusal(404, 'Project not found')
      expect(await hire(own, profile, { project_id })).toEqual(refused)
      expect(await hire(admin, profile, { brand_id: own.brand_id, project_id })).toEqual(refused)
    }
    expect(await desksOf(own.brand_id)).toEqual([])
    const { hire_id } = (await hire(own, profile, { project_id: named })).body
    expect((await verbs.readHire(own, hire_id)).body.project_id).toBe(named)
    expect(await desksOf(own.brand_id)).toMatchObject([{ project_id: named }])
    expect(oldest).not.toBe(named)
  })

  test('that is refused leaves no desk, and one that is hired again has that of before unless it is in use', async () => {
    const own = await newEmployer()
    const profile = await builder()
    const first = (await hire(own, profile)).body.hire_id
    const [desk] = await desksOf(own.brand_id)
    expect((await hire(own, profile)).status).toBe(409)
    expect(await desksOf(own.brand_id)).toHaveLength(1)
    await cancelAtPeriodEnd(first)
    const second = (await hire(own, profile)).body.hire_id
    expect(await desksOf(own.brand_id)).toHaveLength(2)
    await at.sql(
      `update hires.hires set status = 'canceled', canceled_at = coalesce(canceled_at, now()),
         effective_at = now(), ended_at = now() where brand_id = $1`,
      [own.brand_id],
    )
    const { workstation_id } = (await verbs.readHire(own, second)).body
    expect(workstation_id).not.toBe(desk?.id)
    const third = (await hire(own, profile)).body.hire_id
    expect((await verbs.readHire(own, third)).body.workstation_id).toBe(workstation_id)
    expect(await desksOf(own.brand_id)).toHaveLength(2)
  })
})
