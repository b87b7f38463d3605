import { DeskCaller } from '@crewhall/testkit/desk-caller.ts'
import { join } from '../fleet/desk-agent.ts'
import { DeskWorkspace } from '../fleet/desk-workspace.ts'
import type { useBuilds } from './build-world.ts'
import type { Employer } from './hire-verbs.ts'

export interface Credential {
  readonly hire_id: string
  readonly agent_id: string
  readonly mcp_url: string
  readonly workstation_id: string | null
  readonly token: string | null
  readonly detail?: unknown
}

/** What employees with and without desks work with. */
export function deskHireVerbs(kit: ReturnType<typeof useBuilds>) {
  const { at, server } = kit
  return {
    /** A workspace that may have desks, and hires. */
    async newDeskEmployer(desk_cap = 100) {
      const employer = await kit.newEmployer()
      const desks = new DeskWorkspace(server, employer)
      await desks.limitDesks(desk_cap)
      return { employer, desks }
    },
    /** An employee that works, with or without a desk. */
    async working(employer: Employer, is_builder: boolean) {
      const { profile_id } = await kit.newWholeEmployee([], { is_builder })
      return kit.active(employer, await kit.hired(employer, profile_id))
    },
    /** A machine joins as a desk that was ordered by somebody else. */
    async joined(desks: DeskWorkspace, id: string | null): Promise<DeskCaller> {
      const { body } = await desks.call<{ pat: string }>('POST', `/workstations/${id}/regenerate-pat`)
      const desk = new DeskCaller(String(id), body.pat)
      const { status } = await join(server.get, desk)
      if (status !== 200) throw new Error(`joining was refused with ${status}`)
      return desk
    },
    credential: (by: Parameters<typeof at.call>[0], hire_id: string) =>
      at.call<Credential>(by, 'POST', `/api/v1/employees/hires/${hire_id}/credential`),
    /** Whether somebody with this token is let in. */
    works: async (token: string | null | undefined) => {
      const { status } = await at.call({ token: String(token) }, 'GET', '/api/v1/employees')
      return status === 200
    },
    liveTokens: (agent_id: string | null, { brand_id }: Employer) =>
      at.sql<{ id: string; scopes: string[] }>(
        `select id, scopes from identity.tokens
         where brand_id = $1 and agent_id = $2 and revoked_at is null and expires_at > now()`,
        [brand_id, agent_id],
      ),
  }
}
