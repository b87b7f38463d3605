import { type Hire, type HireDetails, onboardingUrl } from '@crewhall/contracts/hires/hires.ts'
import type { HireRow, StepRow } from './hires.store.ts'

export function presentHire(row: HireRow): Hire {
  const { id, profile_id, key, name, version, is_builder, status, agent_id, desk_id, project_id } = row
  const { is_grant, hired_by, current_period_end, cancel_at_period_end } = row
  const { created_at, activated_at, canceled_at, effective_at, ended_at } = row
  return {
    hire_id: id,
    profile_id,
    key,
    name,
    version,
    is_builder,
    status,
    onboarding_url: onboardingUrl(id),
    agent_id,
    workstation_id: desk_id,
    project_id,
    is_grant,
    hired_by,
    current_period_end,
    cancel_at_period_end,
    created_at,
    activated_at,
    canceled_at,
    effective_at,
    ended_at,
  }
}

const presentStep = ({ step, status, attempts, reason, done_at }: StepRow): HireDetails['steps'][number] => ({
  step,
  status,
  attempts,
  reason,
  done_at,
})

export const presentHireDetails = (
  row: HireRow,
  steps: readonly StepRow[],
  first_task_id: string | null,
): HireDetails => ({
  ...presentHire(row),
  steps: steps.map(presentStep),
  failures: row.failures,
  reason: row.reason,
  // Of a build that goes on, it is only when a lost one is looked for.
  next_try_at: row.reason === null ? null : row.next_try_at,
  first_task_id,
})

/** What the audit log keeps of a hire. */
export const auditedHire = ({
  profile_id,
  version,
  status,
  is_grant,
  comp_reason,
}: Pick<HireRow, 'profile_id' | 'version' | 'status' | 'is_grant' | 'comp_reason'>) => ({
  profile_id,
  version,
  status,
  is_grant,
  comp_reason,
})
