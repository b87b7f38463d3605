import { z } from 'zod'
import { notFound } from '../refusal.ts'
import { adminToken, route, token } from '../route.ts'
import { coders } from './coder-profiles.ts'

const CoderAvailability = z
  .object({ coder: z.enum(coders), available: z.boolean() })
  .meta({ id: 'CoderAvailability' })
export type CoderAvailability = z.infer<typeof CoderAvailability>

export const listCoders = route({
  id: 'profiles.listCoders',
  method: 'GET',
  path: '/api/v1/factory/coders',
  summary: 'List all coders, and whether the workspace uses them',
  description: 'Every coder is available until an admin disables it.',
  auth: token(),
  responses: { 200: z.array(CoderAvailability) },
})

/** PROF-G6: a setting of the workspace; all five are enabled until an admin disables one. */
export const changeCoder = route({
  id: 'profiles.changeCoder',
  method: 'PUT',
  path: '/api/v1/factory/coders/{coder}',
  summary: 'Enable or disable a coder for the workspace',
  description:
    'While a coder is disabled, its profiles return 404. Their settings are kept and apply again when it is enabled.',
  example: { body: { available: true } },
  auth: adminToken(),
  params: z.object({ coder: z.string() }),
  resources: { coder: 'coder' },
  body: z.object({ available: z.boolean() }),
  responses: { 200: CoderAvailability },
  refusals: [notFound],
})
