import { z } from 'zod'
import { route, token } from '../route.ts'
import { CoderProfile, coders } from './coder-profiles.ts'

/** PROF-74, PROF-75: defaults, unless the owner of the desk changed them. */
export const deskLimitMinutes = 120
export const deskCeilingMinutes = 240

const Minutes = z.int().min(1).max(100_000)

/** What a desk reports when a build starts. */
export const BuildDesk = z
  .object({
    coder: z.enum(coders),
    limit_minutes: Minutes.default(deskLimitMinutes),
    ceiling_minutes: Minutes.default(deskCeilingMinutes),
  })
  .meta({ id: 'BuildDesk' })
export type BuildDesk = z.infer<typeof BuildDesk>

/** Why a build runs without its profile. It never fails because of it (PROF-71). */
const Skipped = z.enum(['not_named', 'not_found', 'other_coder', 'unreadable'])
export type Skipped = z.infer<typeof Skipped>

export const BuildSettings = z
  .object({
    profile_key: z.string().nullable(),
    profile_version: z.string().nullable(),
    /** Null when the profile applies. */
    skipped: Skipped.nullable(),
    ...CoderProfile.pick({ model: true, effort: true, fallback_model: true, env: true }).shape,
    limits: z.object({
      max_turns: z.int().nullable(),
      max_steps: z.int().nullable(),
      wall_minutes: z.number(),
    }),
  })
  .meta({ id: 'BuildSettings' })
export type BuildSettings = z.infer<typeof BuildSettings>

export const previewBuild = route({
  id: 'profiles.previewBuild',
  method: 'POST',
  path: '/api/v1/factory/build-settings',
  summary: 'Preview the settings of a build',
  description:
    'Returns the settings that a build of a card would start with on a desk now. Nothing is written or started. `skipped` is the reason why the profile named in `agent_context` does not apply, or null.',
  example: { body: { agent_context: { profile: 'codex.coding' }, desk: { coder: 'codex' } } },
  auth: token(),
  body: z.object({
    /** As on the card, unchecked (PROF-G13). */
    agent_context: z.looseObject({ profile: z.unknown().optional() }).default({}),
    desk: BuildDesk,
  }),
  responses: { 200: BuildSettings },
})
