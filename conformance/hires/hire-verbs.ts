import type { Credential } from '@crewhall/testkit/world/call.ts'
import type { WorldServer } from '@crewhall/testkit/world/workspace.ts'
import { key } from '../identity/admin-verbs.ts'
import { type Content, catalogVerbs } from './catalog-verbs.ts'

export interface Hired {
  hire_id: string
  status: string
  onboarding_url: string
  detail?: unknown
}
interface Step {
  step: string
  status: string
  attempts: number
  reason: string | null
  done_at: string | null
}
export interface Hire {
  hire_id: string
  profile_id: string
  key: string
  status: string
  agent_id: string | null
  workstation_id: string | null
  project_id: string | null
  is_grant: boolean
  hired_by: number | null
  current_period_end: string
  created_at: string
  steps: Step[]
  failures: number
  reason: string | null
  next_try_at: string | null
  first_task_id: string | null
}
/** A workspace that may hire, and somebody signed in to it. */
export interface Employer {
  readonly brand_id: number
  readonly person_id: number
  readonly cookie: string
}

export const nothing = '00000000-0000-4000-8000-000000000000'
export const admin: Credential = { admin_key: key }

/** What workspaces and operators do with hires. */
export function hireVerbs(server: WorldServer) {
  const catalog = catalogVerbs(server)
  const { at } = catalog
  const newEmployer = async (subscription = 'active'): Promise<Employer> => {
    const member = await at.join(await at.newBrand(), 'admin')
    await at.sql('update identity.brands set subscription_status = $2 where id = $1', [
      member.brand_id,
      subscription,
    ])
    return { ...member, cookie: await at.newCookie(member.person_id, member.brand_id) }
  }
  const newEmployee = async (change: Partial<Content> = {}): Promise<string> => {
    const { profile_id } = await catalog.create(catalog.newKey(), change)
    return (await catalog.publish(profile_id)).profile_id
  }
  return {
    ...catalog,
    newEmployer,
    newEmployee,
    newEmployees: async (count: number): Promise<string[]> => {
      const made: string[] = []
      for (let i = 0; i < count; i += 1) made.push(await newEmployee())
      return made
    },
    /** Staff who are in no workspace. */
    async newStaff(): Promise<Credential> {
      return { cookie: await at.newCookie(await at.newPerson(true), null) }
    },
    hire: (by: Credential, profile_id: string, body: unknown = {}) =>
      at.call<Hired>(by, 'POST', `/api/v1/employees/${profile_id}/hire`, body),
    readHire: (by: Credential, hire_id: string) =>
      at.call<Hire>(by, 'GET', `/api/v1/employees/hires/${hire_id}`),
    listHires: (by: Credential, query = '') =>
      at.call<{ items: Hire[]; next_after: string | null }>(by, 'GET', `/api/v1/employees/hires${query}`),
    retry: (by: Credential, hire_id: string) =>
      at.call<Hire>(by, 'POST', `/api/v1/employees/hires/${hire_id}/retry`),
    hiresOf: (brand_id: number) =>
      at.sql<{ id: string; status: string; profile_id: string; is_grant: boolean }>(
        'select id, status, profile_id, is_grant from hires.hires where brand_id = $1 order by id',
        [brand_id],
      ),
  }
}
