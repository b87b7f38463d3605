import { z } from 'zod'
import { job } from '../job.ts'
import { person, route, visitor } from '../route.ts'
import { text } from '../wire.ts'
import * as refused from './refusals.ts'

const Done = z.object({ done: z.literal(true) })

/** Whoever brings the link without the session of its account has not made the account: they reset its password. */
export const confirmEmail = route({
  id: 'identity.confirmEmail',
  method: 'POST',
  path: '/api/v1/me/email/confirm',
  summary: 'Proves the e-mail address of the signed-in person with the token of the link sent to it',
  description:
    'Needs the session of the account and the token of the newest link, which is good for 72 hours. Boards and docs spaces that were shared with the address can be opened from then on. Without the session, reset the password: that proves the address too.',
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
  summary:
    'Sends a new link that proves the e-mail address; the old one is dead. Nothing is sent when it is proven',
  description: 'Limited to five links an hour. Returns the same when the address is proven already.',
  auth: person('session'),
  responses: { 200: Done },
  refusals: [refused.tooManyAttempts],
})

/** The link is made by the job: the queue would keep a secret in clear. */
export const sendEmailProof = job({
  name: 'identity.send-email-proof',
  payload: z.object({ person_id: z.int() }),
  batch_size: 8,
})
