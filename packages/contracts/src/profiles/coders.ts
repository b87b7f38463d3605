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
  summary: 'The coders there are, and which of them the workspace uses',
  description: 'All coders are available until an admin closes one.',
  auth: token(),
  responses: { 200: z.array(CoderAvailability) },
})

/** PROF-G6: a setting of the workspace; all five are available until an admin says otherwise. */
export const changeCoder = route({
  id: 'profiles.changeCoder',
  method: 'PUT',
  path: '/api/v1/factory/coders/{coder}',
  summary: 'Opens a coder to the workspace or closes it; closed, its profiles are not found',
  description:
    'While a coder is closed its profiles return 404; settings made before come back when it is opened again.',
  example: { body: { available: true } },
  auth: adminToken(),
  params: z.object({ coder: z.string() }),
  resources: { coder: 'coder' },
  body: z.object({ available: z.boolean() }),
  responses: { 200: CoderAvailability },
  refusals: [notFound],
})
