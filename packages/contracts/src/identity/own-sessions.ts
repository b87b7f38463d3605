import { z } from 'zod'
import { job } from '../job.ts'
import { person, route } from '../route.ts'
import { queryInteger, Timestamp } from '../wire.ts'
import * as refused from './refusals.ts'

export const maxSessions = 100

export const OwnSession = z
  .object({
    id: z.int(),
    /** Whether this request was made with it. */
    current: z.boolean(),
    created_at: Timestamp,
    /** A day, not a time. */
    last_used_on: z.string().nullable(),
    expires_at: Timestamp,
    /** Program and system, as `Firefox on Windows`; never the whole user agent. */
    client: z.string().nullable(),
    /** Roughly where it began: the first three parts of an IPv4 address, or the first three of an IPv6 one. */
    network: z.string().nullable(),
  })
  .meta({ id: 'OwnSession' })
export type OwnSession = z.infer<typeof OwnSession>

export const listOwnSessions = route({
  id: 'identity.listOwnSessions',
  method: 'GET',
  path: '/api/v1/me/sessions',
  summary: 'Sessions of the signed-in person, newest first',
  description:
    'Shows where the person is signed in. `client` and `network` are rough on purpose, and null for sessions from before they were kept. A person has at most 100 sessions: one more ends the oldest.',
  auth: person('session'),
  responses: { 200: z.object({ sessions: z.array(OwnSession).max(maxSessions) }) },
})

export const endOwnSession = route({
  id: 'identity.endOwnSession',
  method: 'DELETE',
  path: '/api/v1/me/sessions/{session_id}',
  summary: 'Ends one session of the signed-in person',
  description:
    'Its cookie is invalid at once, on every process. Ending the current session works as well; signing out also removes the cookie.',
  auth: person('session'),
  params: z.object({ session_id: queryInteger(1, Number.MAX_SAFE_INTEGER) }),
  resources: { session_id: 'session' },
  missing: refused.sessionNotFound,
  responses: { 200: z.object({ ended: z.literal(true) }) },
  refusals: [refused.sessionNotFound],
})

export const endOtherSessions = route({
  id: 'identity.endOtherSessions',
  method: 'DELETE',
  path: '/api/v1/me/sessions',
  summary: 'Ends all sessions of the signed-in person but the current one',
  description:
    'Returns how many have ended. Access tokens stay valid: they are listed and revoked in each workspace.',
  auth: person('session'),
  responses: { 200: z.object({ ended: z.int() }) },
})

/** The rest is read when it is sent: the queue holds ids. */
export const sendSignInLetter = job({
  name: 'identity.send-sign-in-letter',
  payload: z.object({ person_id: z.int(), session_id: z.int(), signed_in_at: z.string() }),
  batch_size: 8,
})
