import { sourceQuotaExceeded } from '@crewhall/contracts/conversations/refusals.ts'
import { NewSource } from '@crewhall/contracts/conversations/sources.ts'
import { route, token } from '@crewhall/contracts/route.ts'
import { z } from 'zod'

/** The naive twin of a new source: it counts and inserts, and locks nothing. */
export const createSourceNaively = route({
  id: 'probe.createSourceNaively',
  method: 'POST',
  path: '/api/v1/probe/sources/naive',
  summary: 'Counts and inserts without a lock',
  auth: token('memory:write'),
  body: NewSource,
  responses: { 201: z.object({}) },
  refusals: [sourceQuotaExceeded],
})
