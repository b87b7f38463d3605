import { z } from 'zod'
import { projectNotFound } from '../code-index/refusals.ts'
import { AgentId } from '../identity/agents.ts'
import { brandNotFound } from '../identity/refusals.ts'
import { route, session, sessionOrAdmin } from '../route.ts'
import { pageLimit, Timestamp, text, Uuid } from '../wire.ts'
import * as refused from './refusals.ts'
import { longest } from './template.ts'

const maxPage = 100

export const hireStatuses = ['provisioning', 'active', 'canceled'] as const
export type HireStatus = (typeof hireStatuses)[number]

/** What is built for a hire, in this order. */
export const buildSteps = ['agent', 'directory', 'sources', 'tools', 'desk', 'first_card', 'record'] as const
export type BuildStep = (typeof buildSteps)[number]
export const stepStatuses = ['pending', 'done', 'skipped', 'failed'] as const
export type StepStatus = (typeof stepStatuses)[number]

/** HIRE-03. */
export const onboardingUrl = (hire_id: string): string => `/dashboard/agents/onboarding?hire=${hire_id}`

const HireStatusField = z.enum(hireStatuses)
const OnboardingUrl = z
  .string()
  .meta({ maxLength: 100, examples: [onboardingUrl('3f8a6c1e-52d4-4b7a-9c0e-1a2b3c4d5e6f')] })

/** An employee that works for the workspace, or did. */
export const Hire = z
  .object({
    hire_id: Uuid,
    profile_id: Uuid,
    key: z.string().meta({ maxLength: 50 }),
    name: z.string().meta({ maxLength: longest.name }),
    /** Of the employee, when it was hired. */
    version: z.int(),
    is_builder: z.boolean(),
    status: HireStatusField,
    onboarding_url: OnboardingUrl,
    /** Null until the build has given it one. */
    agent_id: AgentId.nullable(),
    /** The desk of a builder. */
    workstation_id: Uuid.nullable(),
    /** The project whose repository a builder works on. */
    project_id: Uuid.nullable(),
    /** Granted by the operator of the installation. */
    is_grant: z.boolean(),
    /** Who hired it; null if it was granted. */
    hired_by: z.int().nullable(),
    current_period_end: Timestamp,
    cancel_at_period_end: z.boolean(),
    created_at: Timestamp,
    activated_at: Timestamp.nullable(),
    canceled_at: Timestamp.nullable(),
    /** When a cancellation takes effect. */
    effective_at: Timestamp.nullable(),
    /** When its tools were taken away. */
    ended_at: Timestamp.nullable(),
  })
  .meta({ id: 'Hire' })
export type Hire = z.infer<typeof Hire>

const maxReason = 500
export const HireStep = z
  .object({
    step: z.enum(buildSteps),
    status: z.enum(stepStatuses),
    attempts: z.int(),
    /** Why it failed or was skipped. */
    reason: z.string().meta({ maxLength: maxReason }).nullable(),
    done_at: Timestamp.nullable(),
  })
  .meta({ id: 'HireStep' })
export type HireStep = z.infer<typeof HireStep>

export const HireDetails = Hire.extend({
  steps: z.array(HireStep).max(buildSteps.length),
  /** How often the build has failed. */
  failures: z.int(),
  /** Why it failed last; null while nothing is wrong. */
  reason: z.string().meta({ maxLength: maxReason }).nullable(),
  /** When a build that failed is tried again. */
  next_try_at: Timestamp.nullable(),
  /** A card that it could begin with, as found when it was built. */
  first_task_id: Uuid.nullable(),
}).meta({ id: 'HireDetails' })
export type HireDetails = z.infer<typeof HireDetails>

/** For a builder: the project whose repository it works on. By default, the oldest one with a repository. */
const ProjectId = Uuid.optional()

export const hireEmployee = route({
  id: 'hires.hireEmployee',
  method: 'POST',
  path: '/api/v1/employees/{profile_id}/hire',
  summary: 'Hire an employee of the catalog',
  description:
    'With a session, the workspace of the session hires, and needs an active subscription. A platform admin grants the hire to the workspace `brand_id`, with or without a subscription. The agent is built in the background: poll the hire, or follow its events, until `status` is `active`. A builder also gets a desk. A workspace holds an employee once, hires at most 5 in any 60 minutes, and a platform admin grants at most 50. `Retry-After` says when there is room again.',
  example: { body: {} },
  auth: sessionOrAdmin(),
  params: z.object({ profile_id: Uuid }),
  resources: { profile_id: 'employee', 'body.project_id': 'project', 'body.brand_id': 'brand' },
  missing: refused.employeeNotFound,
  body: z.object({ project_id: ProjectId }).default({}),
  admin_body: z.object({
    brand_id: z.int().min(1).max(2_147_483_647),
    /** Why the workspace does not pay. It is in the audit log of the workspace. */
    comp_reason: text(1, maxReason).optional(),
    project_id: ProjectId,
  }),
  responses: {
    200: z.object({
      hire_id: Uuid,
      status: z.literal('provisioning'),
      onboarding_url: OnboardingUrl,
    }),
  },
  refusals: [
    brandNotFound,
    refused.employeeNotFound,
    projectNotFound,
    refused.noSubscription,
    refused.alreadyHired,
    refused.notDeployable,
    refused.tooManyHires,
    refused.tooManyGrants,
  ],
})

export const listHires = route({
  id: 'hires.listHires',
  method: 'GET',
  path: '/api/v1/employees/hires',
  summary: 'List the hires of the workspace, newest first',
  description:
    'Includes those that were canceled. Pass `next_after` of one page as `after` of the next; it is null on the last page.',
  example: { query: { status: 'active', limit: '50' } },
  auth: session(),
  query: z.object({ status: HireStatusField.optional(), after: Uuid.optional(), limit: pageLimit(maxPage) }),
  responses: { 200: z.object({ items: z.array(Hire).max(maxPage), next_after: Uuid.nullable() }) },
})

const one = {
  auth: sessionOrAdmin(),
  params: z.object({ hire_id: Uuid }),
  resources: { hire_id: 'hire' },
  missing: refused.hireNotFound,
} as const

export const getHire = route({
  ...one,
  id: 'hires.getHire',
  method: 'GET',
  path: '/api/v1/employees/hires/{hire_id}',
  summary: 'Get a hire with the steps of its build',
  description:
    'Poll it while `status` is `provisioning`. A build that fails is repeated until it succeeds; `reason` says what is wrong. Platform admins read hires of any workspace.',
  responses: { 200: HireDetails },
  refusals: [refused.hireNotFound],
})

export const retryHire = route({
  ...one,
  id: 'hires.retryHire',
  method: 'POST',
  path: '/api/v1/employees/hires/{hire_id}/retry',
  summary: 'Try a failed build again now',
  description:
    'For a hire whose `reason` says why the build failed, once that is mended. The build goes on with the step that failed. Without a call it is repeated at `next_try_at`.',
  responses: { 200: HireDetails },
  refusals: [refused.hireNotFound, refused.buildNotFailed],
})
