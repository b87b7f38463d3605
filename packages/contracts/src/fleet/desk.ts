import { z } from 'zod'
import { Timestamp, text, Uuid, words } from '../wire.ts'
import { deskNotFound } from './refusals.ts'

export const runtimes = ['claude_code', 'codex', 'custom'] as const
export type Runtime = (typeof runtimes)[number]

/** DESK-36: the states of a desk. The environment names two of them differently. */
export const deskStates = ['provisioning', 'ready', 'unreachable', 'suspended'] as const
export type DeskState = (typeof deskStates)[number]

/** ENV-09: the same four states as the environment record names them. */
export const environmentStatuses = ['provisioned', 'active', 'unreachable', 'suspended'] as const
export type EnvironmentStatus = (typeof environmentStatuses)[number]

/** DESK-51: in this order. */
export const stepKeys = ['run_installer', 'wg_register', 'sidecar_up', 'ready'] as const
export type StepKey = (typeof stepKeys)[number]
export const stepStates = ['pending', 'done', 'failed', 'blocked'] as const
export type StepState = (typeof stepStates)[number]

/** DESK-61. */
export const stallReasons = [
  'awaiting_callback',
  'awaiting_wg_peer',
  'awaiting_first_health_check',
  'awaiting_ready',
  'misrouted',
  'unreachable',
  'suspended',
] as const
export type StallReason = (typeof stallReasons)[number]
export type StepReason = StallReason | `blocked_by:${StepKey}`

/** What the installer reports while it runs, in this order. */
export const installStages = [
  'fetched',
  'preflight',
  'runtime',
  'bundle_verified',
  'registered',
  'wg_up',
  'sidecar_started',
] as const
export type InstallStage = (typeof installStages)[number]

const stepReasons = [...stallReasons, ...stepKeys.map((key) => `blocked_by:${key}` as const)] as const

export const OnboardingStep = z
  .object({
    key: z.enum(stepKeys),
    title: z.string().meta({ maxLength: 30 }),
    /** `pending` is the step to act on, `failed` went wrong, `blocked` waits for an earlier step. */
    state: z.enum(stepStates),
    reason: z.enum(stepReasons).nullable(),
    /** What to do. Only the first step that is not done has one. */
    hint: z.string().meta({ maxLength: 300 }).nullable(),
    /** VER-08: whether `state` is `done`; kept permanently. */
    done: z.boolean(),
  })
  .meta({ id: 'OnboardingStep' })
export type OnboardingStep = z.infer<typeof OnboardingStep>

export const DeskName = words(255)
export const DeskDescription = text(0, 500)
export const Region = text(1, 100)

/** DESK-26, DESK-G9: a desk as the workstation routes show it. */
export const Desk = z
  .object({
    workstation_id: Uuid,
    name: z.string().meta({ maxLength: 255 }),
    runtime: z.enum(runtimes),
    region: z.string().meta({ maxLength: 100 }).nullable(),
    description: z.string().meta({ maxLength: 500 }).nullable(),
    /** The repository that a desk of a hired builder works on. */
    project_id: Uuid.nullable(),
    status: z.enum(deskStates),
    /** DESK-G15: whether `status` is `ready`. */
    ready: z.boolean(),
    /** DESK-45: not heard from for more than two weeks. Such a desk does not count towards the plan. */
    dormant: z.boolean(),
    poll_url: z.string().meta({ maxLength: 60 }),
    onboarding_url: z.string().meta({ maxLength: 60 }),
    onboarding_steps: z.array(OnboardingStep).max(stepKeys.length),
  })
  .meta({ id: 'Workstation' })
export type Desk = z.infer<typeof Desk>

/** What is shown once. */
export const JoinCommands = z.object({
  /** Lets one machine join as this desk, and does nothing else. Valid for 24 hours. */
  pat: z.string(),
  /** For a root shell. */
  install_command: z.string(),
  /** For any other shell. */
  install_command_sudo: z.string(),
  pat_expires_at: Timestamp,
})
export type JoinCommands = z.infer<typeof JoinCommands>

export const oneDesk = {
  params: z.object({ workstation_id: Uuid }),
  resources: { workstation_id: 'desk' },
  missing: deskNotFound,
} as const
