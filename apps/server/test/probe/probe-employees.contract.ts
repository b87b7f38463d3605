import { employeeNotFound } from '@crewhall/contracts/hires/refusals.ts'
import { platformAdmin, route } from '@crewhall/contracts/route.ts'
import { Uuid } from '@crewhall/contracts/wire.ts'
import { z } from 'zod'

/** The naive twin of a change of a draft: it compares the revision that it has read, and locks nothing. */
export const changeDraftNaively = route({
  id: 'probe.changeDraftNaively',
  method: 'PUT',
  path: '/api/v1/probe/employees/{profile_id}/draft',
  summary: 'Reads, compares and writes without a lock',
  auth: platformAdmin(),
  params: z.object({ profile_id: Uuid }),
  resources: { profile_id: 'employee' },
  missing: employeeNotFound,
  body: z.object({ revision: z.int(), name: z.string() }),
  responses: { 200: z.object({}) },
})
