import { z } from 'zod'
import { job } from '../job.ts'
import { person, route } from '../route.ts'
import * as refused from './refusals.ts'
import { NewPassword } from './sessions.ts'

export const changePassword = route({
  id: 'identity.changePassword',
  method: 'PUT',
  path: '/api/v1/me/password',
  summary: 'Change your password and end your other sessions',
  description:
    'Requires the current password; failed attempts count toward the sign-in limit. Reset links stop working. Access tokens stay valid. A notification is sent by e-mail. Of two concurrent changes, one is refused.',
  example: { body: { current_password: 'correct horse battery', password: 'a better horse battery' } },
  auth: person('session'),
  takes_secret: true,
  body: z.object({ current_password: z.string().max(1000), password: NewPassword }),
  responses: { 200: z.object({ done: z.literal(true) }) },
  refusals: [refused.currentPasswordWrong, refused.tooManyAttempts],
})

/** After a change and after a reset. An admin who sets a password chooses whether to notify (MBR-24). */
export const sendPasswordLetter = job({
  name: 'identity.send-password-letter',
  sends_mail: true,
  payload: z.object({ person_id: z.int(), change_id: z.string(), changed_at: z.string() }),
  batch_size: 8,
})
