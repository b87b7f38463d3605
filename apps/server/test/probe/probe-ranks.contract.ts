import { route, token } from '@crewhall/contracts/route.ts'
import { z } from 'zod'

/** The naive twin of making room in a column: it looks at the order and writes new ranks, and locks nothing. */
export const spreadNaively = route({
  id: 'probe.spreadNaively',
  method: 'PUT',
  path: '/api/v1/probe/naive/columns/{column_id}/ranks',
  summary: 'Gives the cards of a column new ranks in the order they are in',
  auth: token(),
  params: z.object({ column_id: z.uuid() }),
  resources: { column_id: 'column' },
  responses: { 200: z.object({}) },
})
