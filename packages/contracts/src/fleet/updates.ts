import { z } from 'zod'
import { job } from '../job.ts'
import { notFound } from '../refusal.ts'
import { adminToken, route, token } from '../route.ts'
import { Timestamp, Uuid } from '../wire.ts'
import * as refused from './refusals.ts'

/** More machines than this are updated one by one. */
export const maxMachines = 2000
/** Of one machine, newest first. */
export const shownUpdates = 50

/** UPD-G8: `running` and `done` are reached on the machine and shown by reads only. */
export const updateStates = ['queued', 'running', 'done', 'failed'] as const
export type UpdateState = (typeof updateStates)[number]

const Requester = z.object({ user_id: z.int(), name: z.string() })
const Version = z.string().meta({ maxLength: 100 })
const Reason = z.string().meta({ maxLength: 300 })

/** UPD-02 to UPD-08. */
const requested = {
  machine_id: Uuid,
  machine_name: z.string().meta({ maxLength: 255 }),
  status: z.enum(['queued', 'failed']),
  /** Why not; null unless `status` is `failed`. */
  error: Reason.nullable(),
}
export const UpdateRequest = z
  .object({
    id: Uuid,
    ...requested,
    requested_by: Requester,
    requested_at: Timestamp,
    /** The update begins when no build runs on the machine. Always true. */
    wait_for_idle: z.boolean(),
  })
  .meta({ id: 'MachineUpdateRequest' })
export type UpdateRequest = z.infer<typeof UpdateRequest>

const RequestItem = z.object(requested).meta({ id: 'MachineUpdateItem' })
export type RequestItem = z.infer<typeof RequestItem>

export const MachineUpdate = z
  .object({
    id: Uuid,
    state: z.enum(updateStates),
    error: Reason.nullable(),
    requested_by: Requester,
    requested_at: Timestamp,
    started_at: Timestamp.nullable(),
    ended_at: Timestamp.nullable(),
    /** What the machine ran when the update began, and what it ran when it ended. */
    from_version: Version.nullable(),
    to_version: Version.nullable(),
  })
  .meta({ id: 'MachineUpdate' })
export type MachineUpdate = z.infer<typeof MachineUpdate>

const oneMachine = {
  params: z.object({ machine_id: Uuid }),
  resources: { machine_id: 'desk' },
  missing: notFound,
} as const

export const requestUpdate = route({
  ...oneMachine,
  id: 'fleet.requestUpdate',
  method: 'POST',
  path: '/api/v1/machines/{machine_id}/updates',
  summary: 'Request an update of a machine',
  description:
    'The update never begins at once: it waits until no build runs on the machine, and no new build begins before it is done. A machine that is not reachable is updated when it reports again. While a request is waiting, calling again returns that request.',
  auth: adminToken(),
  responses: { 202: UpdateRequest },
  refusals: [notFound, refused.machineShared, refused.machineSuspended],
})

export const requestUpdates = route({
  id: 'fleet.requestUpdates',
  method: 'POST',
  path: '/api/v1/machines/updates',
  summary: 'Request an update of every machine',
  description:
    'Each machine of the workspace is in `requests`. One that cannot be requested is `failed` with an `error`; the others are queued all the same.',
  auth: adminToken(),
  responses: {
    202: z.object({
      requests: z.array(RequestItem).max(maxMachines),
      queued: z.int(),
      failed: z.int(),
      requested_at: Timestamp,
    }),
  },
  refusals: [refused.tooManyMachines],
})

export const listUpdates = route({
  ...oneMachine,
  id: 'fleet.listUpdates',
  method: 'GET',
  path: '/api/v1/machines/{machine_id}/updates',
  summary: 'List updates of a machine, newest first',
  description: `The last ${shownUpdates}, with what became of each.`,
  auth: token(),
  responses: { 200: z.object({ updates: z.array(MachineUpdate).max(shownUpdates) }) },
  refusals: [notFound],
})

/** After a desk has joined or was released: which workspaces its machine serves now. */
export const noteMachine = job({
  name: 'fleet.note-machine',
  payload: z.object({ desk_id: Uuid }),
  retry_seconds: [10, 60, 600, 7200, 28_800],
  batch_size: 8,
})
