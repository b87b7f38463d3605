import { anyone, route, session } from '@crewhall/contracts/route.ts'
import { Uuid } from '@crewhall/contracts/wire.ts'
import { z } from 'zod'

/** Work of a worker, for tests that wait for its end. */
const sweepPeriodsNow = route({
  id: 'probe.sweepPeriodsNow',
  method: 'POST',
  path: '/api/v1/probe/hires/periods',
  summary: 'Runs the job that renews and ends hires',
  auth: anyone(),
  responses: { 200: z.object({}) },
})

const removeEndedNow = route({
  id: 'probe.removeEndedNow',
  method: 'POST',
  path: '/api/v1/probe/hires/removals',
  summary: 'Runs the job that removes what ended hires have left',
  auth: anyone(),
  responses: { 200: z.object({}) },
})

/** The naive twin of a cancel: looks, counts and writes without a lock. */
const cancelHireNaively = route({
  id: 'probe.cancelHireNaively',
  method: 'POST',
  path: '/api/v1/probe/naive/hires/{hire_id}/cancel-immediate',
  summary: 'Ends a hire without a lock',
  auth: session(),
  params: z.object({ hire_id: Uuid }),
  responses: { 200: z.object({ installs_disabled: z.int(), installs_retained: z.int() }) },
})

export const probeHireEndRoutes = { sweepPeriodsNow, removeEndedNow, cancelHireNaively } as const
