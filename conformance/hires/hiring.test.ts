import { useServer } from '@crewhall/testkit/test-server.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { adminEnv } from '../identity/admin-verbs.ts'
import { admin, type Employer, hireVerbs } from './hire-verbs.ts'

const server = useServer('product', adminEnv)
const verbs = hireVerbs(server)
const { hire, hiresOf, newEmployee, newEmployer } = verbs
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

let employer: Employer
let profile_id: string
beforeAll(async () => {
  employer = await newEmployer()
  profile_id = await newEmployee()
})

describe('a workspace', () => {
  test('HIRE-01 HIRE-02 HIRE-03 HIRE-05 HIRE-11 HIRE-18 hires with an empty object and nothing else', async () => {
    const { status, body } = await hire(employer, profile_id)
    expect(status).toBe(200)
    expect(body.hire_id).toMatch(uuid)
    const { hire_id } = body
    const onboarding_url = `/dashboard/agents/onboarding?hire=${hire_id}`
    expect(body).toEqual({ hire_id, status: 'provisioning', onboarding_url })
    expect(await hiresOf(employer.brand_id)).toEqual([
      { id: hire_id, status: 'provisioning', profile_id, is_grant: false },
    ])
  })

  test('HIRE-13 HIRE-G1 holds an employee once, also while it is being built, and is told by which hire', async () => {
    const own = await newEmployer()
    const { hire_id } = (await hire(own, profile_id)).body
    const detail = { message: 'The workspace holds this employee already', existing_hire_id: hire_id }
    expect(await hire(own, profile_id)).toEqual({ status: 409, body: { detail } })
    expect((await hire(admin, profile_id, { brand_id: own.brand_id })).body).toEqual({ detail })
  })
})
