import { currentPasswordWrong } from '@crewhall/contracts/identity/refusals.ts'
import { person, route } from '@crewhall/contracts/route.ts'
import { z } from 'zod'

/** Changing a password as it is written without thinking of another change at the same time. */
export const naiveChangePassword = route({
  id: 'probe.naiveChangePassword',
  method: 'PUT',
  path: '/api/v1/probe/naive/me/password',
  summary: 'Looks whether the password is right, then writes the new one',
  auth: person('session'),
  takes_secret: true,
  body: z.object({ current_password: z.string().max(1000), password: z.string().max(128) }),
  responses: { 200: z.object({ done: z.literal(true) }) },
  refusals: [currentPasswordWrong],
})

export const probePasswordRoutes = { naiveChangePassword } as const
