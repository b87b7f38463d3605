import type { DeskState } from '@crewhall/contracts/fleet/desk.ts'
import type { EnvironmentChange } from '@crewhall/contracts/fleet/environments.ts'
import { stateAfter } from '../desks/desk-status.rules.ts'

interface Changeable {
  readonly name: string
  readonly description: string | null
  readonly state: DeskState
  readonly sidecar_url: string | null
  readonly agent_id: string | null
}

export interface NextDesk extends Changeable {
  readonly is_suspended: boolean
  readonly is_resumed: boolean
  readonly is_repointed: boolean
  /** Whether name, description or agent are others. */
  readonly is_renamed: boolean
  /** Whether it gets an agent that it had not. */
  readonly is_assigned: boolean
}

/**
 * The desk after a change. Fields that are absent, or that say what is true already, change nothing. A desk that is
 * repointed has to answer anew (ENV-G4), unless it is suspended: then it stays so.
 */
export function nextDesk(old: Changeable, change: EnvironmentChange): NextDesk {
  const { name = old.name, description = old.description, sidecar_url = old.sidecar_url } = change
  const { agent_id = old.agent_id } = change
  const is_repointed = sidecar_url !== old.sidecar_url
  const after = stateAfter(old.state, change.status)
  return {
    name,
    description,
    sidecar_url,
    agent_id,
    state: is_repointed && after !== 'suspended' ? 'provisioning' : after,
    is_suspended: old.state !== 'suspended' && after === 'suspended',
    is_resumed: old.state === 'suspended' && after !== 'suspended',
    is_repointed,
    is_renamed: name !== old.name || description !== old.description || agent_id !== old.agent_id,
    is_assigned: agent_id !== null && agent_id !== old.agent_id,
  }
}
