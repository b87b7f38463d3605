import { refusal } from '@crewhall/contracts/refusal.ts'
import { anyone, person, route } from '@crewhall/contracts/route.ts'
import { z } from 'zod'

export const codeNotThere = refusal(404, 'There is no such code')

const done = z.object({ done: z.literal(true) })

/** Approving a code as it is written without thinking of anybody else. */
export const naiveApproveDevice = route({
  id: 'probe.naiveApproveDevice',
  method: 'POST',
  path: '/api/v1/probe/naive/device/approve',
  summary: 'Looks whether a code is pending, then approves it',
  auth: person('session'),
  body: z.object({ user_code: z.string().max(20) }),
  responses: { 200: done },
  refusals: [codeNotThere],
})

/** Fetching in the same way. */
export const naivePollDevice = route({
  id: 'probe.naivePollDevice',
  method: 'POST',
  path: '/api/v1/probe/naive/device/token',
  summary: 'Looks whether a code is approved, starts a session, then notes it',
  auth: anyone(),
  body: z.object({ device_code: z.string().max(200) }),
  responses: { 200: done },
  refusals: [codeNotThere],
})

export const probeDeviceRoutes = { naiveApproveDevice, naivePollDevice } as const
