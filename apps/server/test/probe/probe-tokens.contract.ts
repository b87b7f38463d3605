import { tokenLimit } from '@crewhall/contracts/identity/refusals.ts'
import { route, token } from '@crewhall/contracts/route.ts'
import { z } from 'zod'

/** Issuing a token as it is written without thinking of a removal, or of another issue, at the same time. */
export const naiveIssueToken = route({
  id: 'probe.naiveIssueToken',
  method: 'POST',
  path: '/api/v1/probe/naive/brands/{brand_id}/tokens',
  summary: 'Counts live tokens of the person, then writes one',
  auth: token(),
  params: z.object({ brand_id: z.string() }),
  resources: { brand_id: 'brand' },
  responses: { 201: z.object({ done: z.literal(true) }) },
  refusals: [tokenLimit],
})

export const probeTokenRoutes = { naiveIssueToken } as const
