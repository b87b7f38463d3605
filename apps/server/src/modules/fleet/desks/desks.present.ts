import type { Desk } from '@crewhall/contracts/fleet/desk.ts'
import { deriveSteps, type OnboardingFacts } from '../onboarding/onboarding.rules.ts'
import { isDormant } from './desk-status.rules.ts'
import type { DeskRow } from './desks.store.ts'

/** DESK-08, DESK-09: paths of the API and of the dashboard. */
export const presentDesk = (row: DeskRow, now: Date): Desk => ({
  workstation_id: row.id,
  name: row.name,
  runtime: row.runtime,
  region: row.region,
  description: row.description,
  project_id: row.project_id,
  status: row.state,
  ready: row.state === 'ready',
  dormant: isDormant(row, now),
  poll_url: `/api/v1/workstations/${row.id}`,
  onboarding_url: `/dashboard/machines/${row.id}`,
  onboarding_steps: deriveSteps(onboardingFacts(row, now)),
})

function onboardingFacts(row: DeskRow, now: Date): OnboardingFacts {
  const { beacon_stage, beacon_ok, beacon_exit_code, secret_expires_at } = row
  return {
    state: row.state,
    is_registered: row.registered_at !== null,
    beacon:
      beacon_stage === null
        ? null
        : { stage: beacon_stage, ok: beacon_ok === true, exit_code: beacon_exit_code },
    has_handshake: row.handshake_at !== null,
    is_link_lost: row.link_lost_at !== null,
    health: row.checked_at === null ? 'none' : row.answered_at === null ? 'missed' : 'answered',
    misses: row.misses,
    is_misrouted: row.misrouted_at !== null,
    is_quarantined: row.is_quarantined,
    has_pat: secret_expires_at !== null,
    is_pat_expired: secret_expires_at === null || Date.parse(secret_expires_at) <= now.getTime(),
  }
}

/** For the audit log. */
export const auditedDesk = ({ name, description, runtime, state, sidecar_url, agent_id }: DeskRow) => ({
  name,
  description,
  runtime,
  status: state,
  sidecar_url,
  agent_id,
})
