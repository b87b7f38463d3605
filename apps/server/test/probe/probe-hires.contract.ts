import { employeeNotFound } from '@crewhall/contracts/hires/refusals.ts'
import { route, sessionOrAdmin } from '@crewhall/contracts/route.ts'
import { Uuid } from '@crewhall/contracts/wire.ts'
import { z } from 'zod'

/** The naive twin of a hire: it looks at everything that the product looks at, and locks nothing. */
export const hireNaively = route({
  id: 'probe.hireNaively',
  method: 'POST',
  path: '/api/v1/probe/employees/{profile_id}/hire',
  summary: 'Looks, counts and inserts without a lock',
  auth: sessionOrAdmin(),
  params: z.object({ profile_id: Uuid }),
  resources: { profile_id: 'employee' },
  missing: employeeNotFound,
  body: z.object({}),
  admin_body: z.object({ brand_id: z.int() }),
  responses: { 200: z.object({ hire_id: Uuid }) },
})
