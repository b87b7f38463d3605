import { z } from 'zod'
import { job } from '../job.ts'
import { person, route, visitor } from '../route.ts'
import { text } from '../wire.ts'
import * as refused from './refusals.ts'

const Done = z.object({ done: z.literal(true) })

/** The link alone does not prove who created the account, so without a session the password has to be reset. */
export const confirmEmail = route({
  id: 'identity.confirmEmail',
  method: 'POST',
  path: '/api/v1/me/email/confirm',
  summary: 'Confirm the caller’s e-mail address',
  description:
    'Requires a session of the account and the token of the newest link, which is valid for 72 hours. Boards and docs spaces shared with the address can be opened from then on. Without a session, reset the password: that confirms the address too.',
  example: { body: { token: 'the-token-from-the-link' } },
  auth: visitor(),
  body: z.object({ token: text(1, 200) }),
  responses: { 200: Done },
  refusals: [refused.signInToConfirm, refused.resetLinkDead, refused.crossSite],
})

export const resendEmailProof = route({
  id: 'identity.resendEmailProof',
  method: 'POST',
  path: '/api/v1/me/email/proof',
  summary: 'Send a new link to confirm the e-mail address',
  description:
    'The previous link stops working. Limited to five links an hour. If the address is already confirmed, nothing is sent and the response is the same.',
  auth: person('session'),
  responses: { 200: Done },
  refusals: [refused.tooManyAttempts],
})

/** The job creates the link: in the queue, the secret would lie in plain text. */
export const sendEmailProof = job({
  name: 'identity.send-email-proof',
  sends_mail: true,
  payload: z.object({ person_id: z.int() }),
  batch_size: 8,
})
