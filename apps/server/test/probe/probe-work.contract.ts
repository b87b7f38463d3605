import { route, token } from '@crewhall/contracts/route.ts'
import { z } from 'zod'

/** The naive twin of `work:next`: it looks for the most urgent card and takes it, and locks nothing. */
export const nextWorkNaively = route({
  id: 'probe.nextWorkNaively',
  method: 'POST',
  path: '/api/v1/probe/naive/work/next',
  summary: 'Takes the most urgent card that looks free',
  auth: token(),
  responses: { 200: z.object({ task_id: z.uuid().nullable(), priority: z.string() }) },
})
