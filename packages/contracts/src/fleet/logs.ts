import { z } from 'zod'
import { notFound } from '../refusal.ts'
import { adminToken, desk, route } from '../route.ts'
import { Timestamp, Uuid } from '../wire.ts'
import * as refused from './refusals.ts'

/** Older lines are left out. */
export const maxLogBytes = 64 * 1024
/** How long a request waits for its machine, and how long what came back is kept. */
export const keptLogHours = 24

export const logStatuses = ['none', 'waiting', 'received', 'failed'] as const
export type LogStatus = (typeof logStatuses)[number]

export const MachineLogs = z
  .object({
    machine_id: Uuid,
    /** `none`: nobody has asked of late. `waiting`: the machine has not reported since. */
    status: z.enum(logStatuses),
    /** Why not; null unless `status` is `failed`. */
    error: z.string().meta({ maxLength: 500 }).nullable(),
    requested_by: z.object({ user_id: z.int(), name: z.string() }).nullable(),
    requested_at: Timestamp.nullable(),
    received_at: Timestamp.nullable(),
    /** The request and what came back are forgotten then. */
    expires_at: Timestamp.nullable(),
    /** Lines of JSON, oldest first, with secrets cut out; null unless `status` is `received`. */
    text: z.string().meta({ maxLength: maxLogBytes }).nullable(),
  })
  .meta({ id: 'MachineLogs' })
export type MachineLogs = z.infer<typeof MachineLogs>

const oneMachine = {
  path: '/api/v1/machines/{machine_id}/logs',
  params: z.object({ machine_id: Uuid }),
  resources: { machine_id: 'desk' },
  missing: notFound,
  auth: adminToken(),
} as const

export const requestLogs = route({
  ...oneMachine,
  id: 'fleet.requestLogs',
  method: 'POST',
  summary: 'Ask a machine for the logs of its sidecar',
  description: `The machine sends the last lines when it reports next. A request waits for ${keptLogHours} hours; while it does, calling again returns that request. What an earlier request brought is forgotten.`,
  responses: { 202: MachineLogs },
  refusals: [notFound, refused.machineShared],
})

export const getLogs = route({
  ...oneMachine,
  id: 'fleet.getLogs',
  method: 'GET',
  summary: 'Read the logs that a machine has sent',
  description: `What the last request has brought: at most the last ${maxLogBytes / 1024} KiB, kept for ${keptLogHours} hours.`,
  responses: { 200: MachineLogs },
  refusals: [notFound],
})

export const sendLogs = route({
  id: 'fleet.sendLogs',
  method: 'POST',
  path: '/api/v1/desk-agent/logs',
  summary: 'Send the logs that were asked for',
  description:
    'For the sidecar, after a command `collect_logs`. Signed with the key of the desk. Secrets are cut out on the desk, and here again. 409 if nobody waits for them.',
  example: { body: { text: '{"level":"info","msg":"registered"}' } },
  auth: desk('key'),
  body: z.object({ text: z.string().max(maxLogBytes) }),
  responses: { 200: z.object({ received: z.literal(true) }) },
  refusals: [
    refused.logsNotAsked,
    refused.clockOff,
    refused.sequenceUsed,
    refused.deskQuarantined,
    refused.deskReleased,
  ],
})
