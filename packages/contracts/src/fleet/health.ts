import { z } from 'zod'
import { route, session } from '../route.ts'
import { Timestamp } from '../wire.ts'
import { environmentStatuses, oneDesk } from './desk.ts'
import { deskNotFound } from './refusals.ts'

/** Why a health check was missed. */
export const missCauses = [
  /** Nothing listens at the address. */
  'refused',
  'timeout',
  /** The connection failed in another way. */
  'unreachable',
  /** No connection, and the desk has never been seen in the network of desks. */
  'no_handshake',
  /** Another desk answers at the address. */
  'wrong_desk',
  /** The response is not signed with the desk's key over the nonce of this check. */
  'bad_signature',
  /** The response is not one of a sidecar. */
  'bad_response',
  /** Two machines use the desk's key, so it was not asked. */
  'quarantined',
  /** The address is outside the networks of desks, so it was not asked. */
  'address_refused',
] as const
export type MissCause = (typeof missCauses)[number]

/** What an event comes from: a health check, or a person who has changed the desk. */
const healthEventKinds = ['check', 'suspended', 'resumed', 'repointed'] as const
export type HealthEventKind = (typeof healthEventKinds)[number]

/** Older ones are forgotten. */
export const keptHealthEvents = 200

export const HealthEvent = z
  .object({
    at: Timestamp,
    kind: z.enum(healthEventKinds),
    /** Before and after. */
    from_status: z.enum(environmentStatuses),
    status: z.enum(environmentStatuses),
    /** Null if the check was answered, and where there was none. */
    cause: z.enum(missCauses).nullable(),
    /** Consecutive missed checks, this one included. */
    misses: z.int().min(0),
    /** Until the response, or until the check was given up; null if the desk was not asked. */
    latency_ms: z.int().min(0).nullable(),
  })
  .meta({ id: 'HealthEvent' })
export type HealthEvent = z.infer<typeof HealthEvent>

export const getHealth = route({
  ...oneDesk,
  id: 'fleet.getHealth',
  method: 'GET',
  path: '/api/v1/environments/{workstation_id}/health',
  summary: 'Get the health timeline of a desk, newest first',
  description: `What health checks have found: an event for each change of the status and each change of the cause of missed checks. Checks that say nothing new have no event. That a person has suspended, resumed or repointed the desk is an event too. The last ${keptHealthEvents} are kept.`,
  auth: session(),
  responses: {
    200: z.object({
      status: z.enum(environmentStatuses),
      /** Whether the status has changed so often of late that its changes are not announced one by one. */
      flapping: z.boolean(),
      events: z.array(HealthEvent).max(keptHealthEvents),
    }),
  },
  refusals: [deskNotFound],
})
