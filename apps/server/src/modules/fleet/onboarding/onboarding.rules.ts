import {
  type DeskState,
  type InstallStage,
  type OnboardingStep,
  type StallReason,
  type StepKey,
  stepKeys,
} from '@crewhall/contracts/fleet/desk.ts'
import { hintOf } from './hints.rules.ts'

/** The last thing the installer has reported. */
export interface Beacon {
  readonly stage: InstallStage
  readonly ok: boolean
  readonly exit_code: number | null
}

/** All that the checklist is made from; nothing of it is stored as a checklist. */
export interface OnboardingFacts {
  readonly state: DeskState
  readonly is_registered: boolean
  readonly beacon: Beacon | null
  /** Whether the mesh has ever had a handshake with it. */
  readonly has_handshake: boolean
  /** It reports over HTTPS, and the mesh does not hear it. */
  readonly is_link_lost: boolean
  /** The last health check since the desk was registered, resumed or repointed. */
  readonly health: 'none' | 'answered' | 'missed'
  /** Consecutive ones. */
  readonly misses: number
  /** What answers, or the machine that registered, is another desk. */
  readonly is_misrouted: boolean
  /** Two machines have signed with its key, so neither is heard. */
  readonly is_quarantined: boolean
  /** Of a desk that was ordered with a hire nobody has seen one yet. */
  readonly has_pat: boolean
  readonly is_pat_expired: boolean
}

/** Where the checklist stands still, and why. */
export interface Stall {
  readonly step: StepKey
  readonly state: 'pending' | 'failed'
  readonly reason: StallReason
}

const titles = {
  run_installer: 'Run the installer',
  wg_register: 'Join the network',
  sidecar_up: 'Start the sidecar',
  ready: 'Ready for work',
} as const satisfies Record<StepKey, string>

/** DESK-51 to DESK-60: four steps. Those before the stall are done, those after it blocked, whatever else is true. */
export function deriveSteps(facts: OnboardingFacts): OnboardingStep[] {
  const stall = deriveStall(facts)
  const at = stall ? stepKeys.indexOf(stall.step) : stepKeys.length
  return stepKeys.map((key, n) => {
    const step = { key, title: titles[key], reason: null, hint: null }
    if (!stall || n < at) return { ...step, state: 'done', done: true }
    if (n === at)
      return { ...step, state: stall.state, reason: stall.reason, hint: hintOf(stall, facts), done: false }
    return { ...step, state: 'blocked', reason: `blocked_by:${stall.step}`, done: false }
  })
}

/** Exit code of the installer. */
const otherDeskHere = 7

/** The one cause. Nothing when the desk is ready (DESK-G21). */
export function deriveStall(facts: OnboardingFacts): Stall | undefined {
  const { state, is_registered, has_handshake, health, is_quarantined, beacon } = facts
  // The installer has found another desk on the machine, and left it alone.
  const isElsewhere = !is_registered && beacon?.exit_code === otherDeskHere
  const is_misrouted = facts.is_misrouted || is_quarantined || isElsewhere
  if (state === 'ready') return undefined
  // Whoever is misrouted has registered and was reached, only as somebody else.
  if (!is_registered && !is_misrouted)
    return { step: 'run_installer', state: 'pending', reason: 'awaiting_callback' }
  // An answer of the sidecar proves more than a handshake.
  if (!has_handshake && health !== 'answered' && !is_misrouted)
    return { step: 'wg_register', state: 'pending', reason: 'awaiting_wg_peer' }
  if (state === 'suspended') return { step: 'sidecar_up', state: 'pending', reason: 'suspended' }
  if (is_misrouted) return { step: 'sidecar_up', state: 'failed', reason: 'misrouted' }
  if (state === 'unreachable') return { step: 'sidecar_up', state: 'failed', reason: 'unreachable' }
  if (health !== 'answered')
    return { step: 'sidecar_up', state: 'pending', reason: 'awaiting_first_health_check' }
  return { step: 'ready', state: 'pending', reason: 'awaiting_ready' }
}
