import { z } from 'zod'
import { route, sessionOrAdmin } from '../route.ts'
import { Timestamp, Uuid } from '../wire.ts'
import * as refused from './refusals.ts'

/** HIRE-32: what the gateway remembers of grants is never older. */
export const disableSeconds = 60

const canceled = {
  hire_id: Uuid,
  status: z.literal('canceled'),
  effective_at: Timestamp,
  /** When the tools are gone at the latest: 60 seconds after `effective_at`. */
  marketplace_disable_at: Timestamp,
}

const one = {
  auth: sessionOrAdmin(),
  params: z.object({ hire_id: Uuid }),
  resources: { hire_id: 'hire' },
  missing: refused.hireNotFound,
  foreign: refused.hireOfOther,
  refusals: [refused.hireNotFound, refused.hireOfOther, refused.hireNotActive],
} as const

export const CanceledAtPeriodEnd = z
  .object({ ...canceled, cancel_at_period_end: z.literal(true) })
  .meta({ id: 'CanceledAtPeriodEnd' })
export type CanceledAtPeriodEnd = z.infer<typeof CanceledAtPeriodEnd>

export const CanceledNow = z
  .object({
    ...canceled,
    /** Packages that were turned off, because no other hire needs them. */
    installs_disabled: z.int(),
    /** Packages of the hire that stay on: others need them, or the workspace has installed them itself. */
    installs_retained: z.int(),
    /** Whether configuration and directory of the agent are gone. If not, that is done later. */
    management_record_deleted: z.boolean(),
    /** Always false: the agent can still be messaged. */
    gateway_entry_removed: z.literal(false),
    agent_torn_down: z.literal(false).meta({ deprecated: true, description: 'Deprecated, and always false' }),
  })
  .meta({ id: 'CanceledNow' })
export type CanceledNow = z.infer<typeof CanceledNow>

export const cancelHire = route({
  ...one,
  id: 'hires.cancelHire',
  method: 'POST',
  path: '/api/v1/employees/hires/{hire_id}/cancel',
  summary: 'Cancel a hire at the end of its period',
  description:
    'The agent keeps its tools until `effective_at`, the end of the current period, though `status` is `canceled` at once. Only an `active` hire can be canceled. Members cancel hires of their own workspace, platform admins any. A body is ignored.',
  responses: { 200: CanceledAtPeriodEnd },
})

export const cancelHireNow = route({
  ...one,
  id: 'hires.cancelHireNow',
  method: 'POST',
  path: '/api/v1/employees/hires/{hire_id}/cancel-immediate',
  summary: 'Cancel a hire now',
  description:
    'Takes the tools of the hire away, within a second as a rule and by `marketplace_disable_at` at the latest. A package is turned off when no other hire of the workspace needs it and the workspace has not installed it itself. The agent stays and can be messaged. Only an `active` hire can be canceled. Members cancel hires of their own workspace, platform admins any. A body is ignored.',
  responses: { 200: CanceledNow },
})
