import { adminToken, route } from '@crewhall/contracts/route.ts'
import { z } from 'zod'

/** The naive twin of a change of a profile: it reads, merges and writes, and locks nothing. */
export const changeProfileNaively = route({
  id: 'probe.changeProfileNaively',
  method: 'PUT',
  path: '/api/v1/probe/profiles/{key}/naive',
  summary: 'Reads, merges and writes without a lock',
  auth: adminToken(),
  params: z.object({ key: z.string() }),
  resources: { key: 'coder_profile' },
  body: z.object({ effort: z.string().optional(), limit_value: z.int().optional() }),
  responses: { 200: z.object({}) },
})
