import { refusal } from '@crewhall/contracts/refusal.ts'
import { route, token } from '@crewhall/contracts/route.ts'
import { z } from 'zod'

export const circle = refusal(409, 'A circle')

/** The naive twin of relating cards: it looks for a circle and writes, and locks nothing. */
export const relateNaively = route({
  id: 'probe.relateNaively',
  method: 'PUT',
  path: '/api/v1/probe/naive/tasks/{task_id}/blocks/{other_id}',
  summary: 'Makes one card wait for another when that closes no circle',
  auth: token(),
  params: z.object({ task_id: z.uuid(), other_id: z.uuid() }),
  resources: { task_id: 'card', other_id: 'card_above' },
  responses: { 200: z.object({}) },
  refusals: [circle],
})

/** The naive twin of ending a card: it locks the board of the card alone, and counts in the statement that waits. */
export const finishNaively = route({
  id: 'probe.finishNaively',
  method: 'PUT',
  path: '/api/v1/probe/naive/tasks/{task_id}/done',
  summary: 'Ends a card, and counts what still keeps those that wait for it',
  auth: token(),
  params: z.object({ task_id: z.uuid() }),
  resources: { task_id: 'card' },
  responses: { 200: z.object({}) },
})
