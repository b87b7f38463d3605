import { z } from 'zod'
import { job } from '../job.ts'
import { person, route } from '../route.ts'
import { queryInteger, Timestamp } from '../wire.ts'
import * as refused from './refusals.ts'

export const maxSessions = 100

export const OwnSession = z
  .object({
    id: z.int(),
    /** Whether it is the session of this request. */
    current: z.boolean(),
    created_at: Timestamp,
    /** A day, not a time. */
    last_used_on: z.string().nullable(),
    expires_at: Timestamp,
    /** Browser and system, such as `Firefox on Windows`; never the whole user agent. */
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
  summary: 'List your sessions, newest first',
  description:
    'Shows where you are signed in. `client` and `network` are deliberately coarse, and null for sessions that started before they were recorded. A person has at most 100 sessions; signing in once more ends the oldest.',
  auth: person('session'),
  responses: { 200: z.object({ sessions: z.array(OwnSession).max(maxSessions) }) },
})

export const endOwnSession = route({
  id: 'identity.endOwnSession',
  method: 'DELETE',
  path: '/api/v1/me/sessions/{session_id}',
  summary: 'End one of your sessions',
  description:
    'Its cookie stops working immediately. You can end the current session too, but signing out also removes the cookie.',
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
  summary: 'End all of your other sessions',
  description:
    'Returns how many were ended. Access tokens stay valid; list and revoke them in each workspace.',
  auth: person('session'),
  responses: { 200: z.object({ ended: z.int() }) },
})

/** The queue holds ids only; the rest is read when the e-mail is sent. */
export const sendSignInLetter = job({
  name: 'identity.send-sign-in-letter',
  sends_mail: true,
  payload: z.object({ person_id: z.int(), session_id: z.int(), signed_in_at: z.string() }),
  batch_size: 8,
})
