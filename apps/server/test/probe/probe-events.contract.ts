import { route, token } from '@crewhall/contracts/route.ts'
import { z } from 'zod'

const emitEvent = route({
  id: 'probe.emitEvent',
  method: 'POST',
  path: '/api/v1/probe/events',
  summary: 'Emits an event, and commits a little later',
  auth: token(),
  body: z.object({ subject_id: z.string().max(100) }),
  responses: { 201: z.object({ subject_id: z.string() }) },
})

/** The naive twin of the log of a workspace: the same time and the same rows, and no mark that is held. */
const emitNaively = route({
  id: 'probe.emitNaively',
  method: 'POST',
  path: '/api/v1/probe/naive/events',
  summary: 'Writes an event at the time of its statement, and commits a little later',
  auth: token(),
  body: z.object({ subject_id: z.string().max(100) }),
  responses: { 201: z.object({ subject_id: z.string() }) },
})

/** Events that the product emits only after long preparations. */
const emitTrouble = route({
  id: 'probe.emitTrouble',
  method: 'POST',
  path: '/api/v1/probe/trouble',
  summary: 'Emits an event of which admins are told',
  auth: token(),
  body: z.object({
    type: z.enum(['memory.conflict', 'conversation.failed', 'desk.lost', 'desk.update_failed']),
    id: z.string().max(100),
  }),
  responses: { 201: z.object({ id: z.string() }) },
})

export const probeEventRoutes = { emitEvent, emitNaively, emitTrouble } as const
