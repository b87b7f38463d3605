import { route, token } from '@crewhall/contracts/route.ts'
import { z } from 'zod'

/** The naive twin of a batch: it locks the board of each card when its turn has come. */
export const writeBatchNaively = route({
  id: 'probe.writeBatchNaively',
  method: 'PUT',
  path: '/api/v1/probe/naive/tasks/{task_id}/then/{other_id}',
  summary: 'Writes on one card and then on another, on whichever boards they are',
  auth: token(),
  params: z.object({ task_id: z.uuid(), other_id: z.uuid() }),
  resources: { task_id: 'card', other_id: 'card_above' },
  responses: { 200: z.object({ attempts: z.int() }) },
})
