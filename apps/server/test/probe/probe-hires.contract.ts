import { employeeNotFound, hireNotFound } from '@crewhall/contracts/hires/refusals.ts'
import { route, session, sessionOrAdmin } from '@crewhall/contracts/route.ts'
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

/** The naive twin of a credential: it ends the token that it has read, and not what came since. */
export const issueCredentialNaively = route({
  id: 'probe.issueCredentialNaively',
  method: 'POST',
  path: '/api/v1/probe/hires/{hire_id}/credential',
  summary: 'Reads the token of a hire, issues another and ends the one it has read',
  auth: session(),
  params: z.object({ hire_id: Uuid }),
  resources: { hire_id: 'hire' },
  missing: hireNotFound,
  tells_once: true,
  responses: { 200: z.object({ token: z.string() }) },
})
