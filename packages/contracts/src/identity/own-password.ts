import { z } from 'zod'
import { job } from '../job.ts'
import { person, route } from '../route.ts'
import * as refused from './refusals.ts'
import { NewPassword } from './sessions.ts'

export const changePassword = route({
  id: 'identity.changePassword',
  method: 'PUT',
  path: '/api/v1/me/password',
  summary: 'Changes the password of the signed-in person, and ends all their other sessions',
  description:
    'Needs the current password; guesses are limited together with those of signing in. Links to reset the password are invalid afterwards. Access tokens stay valid. The person is told by mail. Of two changes at once one is refused.',
  example: { body: { current_password: 'correct horse battery', password: 'a better horse battery' } },
  auth: person('session'),
  takes_secret: true,
  body: z.object({ current_password: z.string().max(1000), password: NewPassword }),
  responses: { 200: z.object({ done: z.literal(true) }) },
  refusals: [refused.currentPasswordWrong, refused.tooManyAttempts],
})

/** After a change, and after a reset. An admin who sets a password says whether it is told of (MBR-24). */
export const sendPasswordLetter = job({
  name: 'identity.send-password-letter',
  payload: z.object({ person_id: z.int(), change_id: z.string(), changed_at: z.string() }),
  batch_size: 8,
})
