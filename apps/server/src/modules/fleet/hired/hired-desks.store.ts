import type { BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

type Id = { readonly id: string }

interface Assignment extends Id {
  readonly agent_id: string
  readonly project_id: string | null
}
// Whoever has learned a revision before fetches again, also where the agent is the same.
const assign = brandStatement<Assignment, unknown>(
  (p) => sql`update fleet.desks set agent_id = ${p.agent_id}, hired_agent_id = ${p.agent_id},
     project_id = coalesce(${p.project_id}::uuid, project_id), hire_revision = hire_revision + 1,
     updated_at = platform.now()
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)
// A person may have given the desk the memories of another agent meanwhile.
const unassign = brandStatement<Id, unknown>(
  (p) => sql`update fleet.desks set agent_id = nullif(agent_id, hired_agent_id), hired_agent_id = null,
     hire_revision = hire_revision + 1, updated_at = platform.now()
   where brand_id = ${p.brand_id} and id = ${p.id} and hired_agent_id is not null`,
)
const renew = brandStatement<Id, unknown>(
  (p) => sql`update fleet.desks set hire_revision = hire_revision + 1
   where brand_id = ${p.brand_id} and id = ${p.id} and hired_agent_id is not null`,
)

export const updateAssigned = (ctx: BrandTx, assignment: Assignment) => ctx.db.run(assign, assignment)
export const updateUnassigned = (ctx: BrandTx, id: string) => ctx.db.run(unassign, { id })
export const updateHireRevision = (ctx: BrandTx, id: string) => ctx.db.run(renew, { id })
