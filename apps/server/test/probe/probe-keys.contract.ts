import { route, token } from '@crewhall/contracts/route.ts'
import { z } from 'zod'

/** The naive twin of Idempotency-Key: looks whether the key is known, and then does the work. */
const doNaiveOnce = route({
  id: 'probe.doNaiveOnce',
  method: 'POST',
  path: '/api/v1/probe/naive/keys',
  summary: 'Does something unless the key is known',
  auth: token(),
  body: z.object({ key: z.string().max(100) }),
  responses: { 200: z.object({ done: z.int() }) },
})

const countNaiveKeys = route({
  id: 'probe.countNaiveKeys',
  method: 'GET',
  path: '/api/v1/probe/naive/keys',
  summary: 'How often something was done for the key',
  auth: token(),
  query: z.object({ key: z.string().max(100) }),
  responses: { 200: z.object({ done: z.int() }) },
})

export const probeKeyRoutes = { doNaiveOnce, countNaiveKeys } as const
