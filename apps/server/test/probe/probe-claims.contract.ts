import { refusal } from '@crewhall/contracts/refusal.ts'
import { route, token } from '@crewhall/contracts/route.ts'
import { z } from 'zod'

export const heldAlready = refusal(409, 'Held already')

/** The naive twin of a claim: it looks whether the card is free and takes it, and locks nothing. */
export const claimNaively = route({
  id: 'probe.claimNaively',
  method: 'POST',
  path: '/api/v1/probe/naive/tasks/{task_id}/claim',
  summary: 'Takes a card that looks free',
  auth: token(),
  params: z.object({ task_id: z.uuid() }),
  resources: { task_id: 'card' },
  body: z.object({ worker: z.string() }),
  responses: { 200: z.object({ epoch: z.int() }) },
  refusals: [heldAlready],
})
