import { z } from 'zod'
import { notFound } from '../refusal.ts'
import { adminToken, route, token } from '../route.ts'
import { pageLimit, queryInteger, Timestamp } from '../wire.ts'
import * as refused from './refusals.ts'

/** PROF-03: a key begins with `claude` where the field says `claude_code`; the others are spelt alike. */
export const coders = ['claude_code', 'codex', 'openhands', 'opencode', 'pi'] as const
export type Coder = (typeof coders)[number]

export const taskTypes = ['coding', 'docs', 'research', 'design', 'test'] as const
export const tiers = [...taskTypes, 'hard'] as const
export type Tier = (typeof tiers)[number]

/** What a workspace admin may change. */
export const settings = ['model', 'effort', 'limit_value'] as const
export type Setting = (typeof settings)[number]

export const modelChoices: readonly string[] = ['claude-opus-5-5', 'claude-sonnet-5']
export const effortChoices: readonly string[] = ['low', 'medium', 'high']

const Source = z.enum(['platform', 'brand'])
const Guard = z.int().nullable()

export const CoderProfile = z
  .object({
    key: z.string(),
    /** A digest of the settings: the same settings have the same version everywhere. */
    version: z.string().regex(/^sha256:[0-9a-f]{12}$/),
    coder: z.enum(coders),
    recommended_for: z.array(z.string()),
    model: z.string().nullable(),
    effort: z.string().nullable(),
    fallback_model: z.null(),
    limits: z.object({ max_turns: Guard, max_steps: Guard, wall_minutes: z.number().nullable() }),
    env: z.record(z.string(), z.string()).nullable(),
    reason: z.string(),
    sources: z.object({ model: Source, effort: Source, limit_value: Source }),
    platform_defaults: z.object({
      model: z.string().nullable(),
      effort: z.string().nullable(),
      limit_value: z.int().nullable(),
    }),
  })
  .meta({ id: 'CoderProfile' })
export type CoderProfile = z.infer<typeof CoderProfile>

export const ProfileChange = z
  .object({
    id: z.int(),
    profile_key: z.string(),
    field: z.enum(settings),
    /** Null for the platform default. */
    old_value: z.string().nullable(),
    new_value: z.string().nullable(),
    actor_user_id: z.int(),
    actor_role: z.enum(['brand_admin', 'platform_admin']),
    created_at: Timestamp,
  })
  .meta({ id: 'ProfileChange' })
export type ProfileChange = z.infer<typeof ProfileChange>

/**
 * What is allowed depends on the profile, and each error has its own message, so the rules of the module validate it.
 * A missing body counts as an empty one (PROF-45).
 */
const OverrideBody = z
  .looseObject({
    model: z.unknown().meta({ type: 'string', enum: modelChoices }).optional(),
    effort: z.unknown().meta({ type: 'string', enum: effortChoices }).optional(),
    limit_value: z.unknown().meta({ type: 'integer', minimum: 1 }).optional(),
  })
  .default({})

const one = {
  params: z.object({ key: z.string() }),
  resources: { key: 'coder_profile' },
  refusals: [notFound],
} as const

export const listProfiles = route({
  id: 'profiles.listProfiles',
  method: 'GET',
  path: '/api/v1/factory/coder-profiles',
  summary: 'List all coder profiles, with the overrides of the workspace applied',
  description:
    'A coder profile holds the build settings of a coding tool and is named `<coder>.<tier>`. `sources` shows whether each setting comes from the platform or from this workspace.',
  example: { query: { task_type: 'coding' } },
  auth: token(),
  query: z.object({ coder: z.string().optional(), task_type: z.string().optional() }),
  responses: { 200: z.array(CoderProfile).readonly() },
})

export const getProfile = route({
  ...one,
  id: 'profiles.getProfile',
  method: 'GET',
  path: '/api/v1/factory/coder-profiles/{key}',
  summary: 'Get a coder profile, as builds of the workspace receive it',
  description: '`version` is a digest of the settings: the same settings have the same version.',
  auth: token(),
  responses: { 200: CoderProfile },
})

export const listProfileChanges = route({
  ...one,
  id: 'profiles.listProfileChanges',
  method: 'GET',
  path: '/api/v1/factory/coder-profiles/{key}/history',
  summary: 'List the changes to a profile, newest first',
  description: 'Pass the smallest `id` of a page as `before` to read older changes.',
  example: { query: { limit: '20' } },
  auth: token(),
  query: z.object({
    /** Only changes before the one with this id: the next page. */
    before: queryInteger(1, Number.MAX_SAFE_INTEGER).optional(),
    limit: pageLimit(1000, 1000),
  }),
  responses: { 200: z.array(ProfileChange) },
})

export const changeProfile = route({
  ...one,
  id: 'profiles.changeProfile',
  method: 'PUT',
  path: '/api/v1/factory/coder-profiles/{key}/override',
  summary: 'Override settings of a profile for the workspace',
  description:
    'Requires at least one of `model`, `effort` and `limit_value`; omitted settings stay the same. Which settings can be overridden depends on the profile. A limit cannot exceed the platform default.',
  example: { body: { effort: 'low' } },
  auth: adminToken(),
  body: OverrideBody,
  judges_texts: true,
  responses: { 200: CoderProfile },
  refusals: [
    notFound,
    refused.noOverrideField,
    refused.platformOnly,
    refused.notEditable,
    refused.codexTakesNoModel,
    refused.openHandsTakesNoModel,
    refused.modelUnknown,
    refused.openHandsTakesNoEffort,
    refused.effortUnknown,
    refused.takesNoLimit,
    refused.limitNotInRange,
    refused.limitAbovePlatform,
  ],
})

export const resetProfileSetting = route({
  ...one,
  id: 'profiles.resetProfileSetting',
  method: 'DELETE',
  path: '/api/v1/factory/coder-profiles/{key}/override/{field}',
  summary: 'Reset a setting of a profile to the platform default',
  description: '`field` is `model`, `effort` or `limit_value`. Repeating the call changes nothing.',
  auth: adminToken(),
  params: z.object({ key: z.string(), field: z.string() }),
  resources: { key: 'coder_profile', field: 'coder_setting' },
  judges_texts: true,
  responses: { 200: CoderProfile },
  refusals: [
    notFound,
    refused.platformOnly,
    refused.notEditable,
    refused.codexTakesNoModel,
    refused.openHandsTakesNoModel,
    refused.openHandsTakesNoEffort,
    refused.takesNoLimit,
  ],
})
