import { AgentId } from '@crewhall/contracts/identity/agents.ts'
import { adminToken, anyone, route } from '@crewhall/contracts/route.ts'
import { queryBoolean, Uuid } from '@crewhall/contracts/wire.ts'
import { z } from 'zod'

const ofHire = { auth: adminToken(), params: z.object({ hire_id: Uuid }) } as const

/** What a hire does when it begins, until there are hires. */
const takeReferencesOfHire = route({
  ...ofHire,
  id: 'probe.takeReferencesOfHire',
  method: 'POST',
  path: '/api/v1/probe/hires/{hire_id}/references',
  summary: 'Refers to packages',
  body: z.object({ agent_id: AgentId, packages: z.array(z.string()) }),
  responses: { 200: z.object({}) },
})

/** What it does when it ends. The naive twin counts without a lock. */
const releaseReferencesOfHire = route({
  ...ofHire,
  id: 'probe.releaseReferencesOfHire',
  method: 'POST',
  path: '/api/v1/probe/hires/{hire_id}/release',
  summary: 'Refers to nothing any more',
  query: z.object({ naive: queryBoolean.optional() }),
  responses: { 200: z.object({ disabled: z.int(), retained: z.int() }) },
})

/** A look of a worker, for tests that wait for its end. */
const checkInstallsNow = route({
  id: 'probe.checkInstallsNow',
  method: 'POST',
  path: '/api/v1/probe/installs/checks',
  summary: 'Runs the job that asks servers of packages for their tools',
  auth: anyone(),
  responses: { 200: z.object({}) },
})

export const probeMarketplaceRoutes = {
  takeReferencesOfHire,
  releaseReferencesOfHire,
  checkInstallsNow,
} as const
