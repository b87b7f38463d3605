import { refusal } from '@crewhall/contracts/refusal.ts'
import { anyone, route } from '@crewhall/contracts/route.ts'
import { z } from 'zod'

export const codeUsed = refusal(400, 'The code was used')

/** Redeeming a code as it is written without thinking of another process that does the same. */
export const naiveRedeem = route({
  id: 'probe.naiveRedeem',
  method: 'POST',
  path: '/api/v1/probe/naive/oauth/token',
  summary: 'Looks whether a code is unused, issues a token, then notes the use',
  auth: anyone(),
  body: z.object({ code: z.string().max(100) }),
  responses: { 200: z.object({ done: z.literal(true) }) },
  refusals: [codeUsed],
})

export const probeOAuthRoutes = { naiveRedeem } as const
