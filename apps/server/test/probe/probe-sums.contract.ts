import { route, token } from '@crewhall/contracts/route.ts'
import { z } from 'zod'

/** The naive twin of the sums of boards: it reads a sum, adds to it and writes it back, without the lock of the board. */
export const sumNaively = route({
  id: 'probe.sumNaively',
  method: 'PUT',
  path: '/api/v1/probe/naive/boards/{board_id}/sums',
  summary: 'Adds a card to the sum of a board',
  auth: token(),
  params: z.object({ board_id: z.uuid() }),
  responses: { 200: z.object({ cards_done: z.int() }) },
})
