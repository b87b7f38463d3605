import { z } from 'zod'
import { brandNotFound, emailTaken, signUpClosed } from '../identity/refusals.ts'
import { Email, NewPassword } from '../identity/sessions.ts'
import { job } from '../job.ts'
import { refusal, tooManyLetters } from '../refusal.ts'
import { adminToken, route, visitor } from '../route.ts'
import { paged, queryInteger, Timestamp, text } from '../wire.ts'

export const alreadyMember = refusal(400, 'User is already a member of this brand')
export const alreadyInvited = refusal(400, 'An invitation is already pending for this email')
export const invitationNotFound = refusal(404, 'Invitation not found')
/** One answer for a link that was used, replaced, revoked, has expired or never existed. */
export const invitationDead = refusal(400, 'This invitation is not valid any more')
export const invitationOfAnother = refusal(403, 'This invitation is for another e-mail address')
export const signInToAccept = refusal(401, 'Sign in to accept this invitation')
export const accountNeeded = refusal(422, 'full_name and password: are required to create an account')

const Role = z.enum(['admin', 'member'])

/** GST-12, and what an admin needs to decide whether to send it again. */
export const Invitation = z
  .object({
    id: z.int(),
    email: z.string(),
    role: Role,
    /** `expired` in place of `pending` once its time is over; such a one blocks nothing and can be sent again. */
    status: z.enum(['pending', 'expired', 'accepted', 'revoked']),
    /** What became of the mail: the mail server may refuse an address for good. */
    delivery: z.enum(['queued', 'sent', 'refused']),
    expires_at: Timestamp,
    created_at: Timestamp,
  })
  .meta({ id: 'Invitation' })
export type Invitation = z.infer<typeof Invitation>

const brand = { brand_id: z.string() }
const one = {
  auth: adminToken('brand:admin'),
  params: z.object({ ...brand, invitation_id: queryInteger(1, 2_147_483_647) }),
  resources: { brand_id: 'brand', invitation_id: 'invitation' },
  missing: invitationNotFound,
  refusals: [invitationNotFound],
} as const

export const listInvitations = route({
  id: 'workspaces.listInvitations',
  method: 'GET',
  path: '/api/v1/brands/{brand_id}/invitations',
  summary: 'Invitations that nobody has accepted or revoked, newest first',
  description: 'Pages by `page` and `per_page`.',
  example: { query: { per_page: '50' } },
  auth: adminToken('brand:admin'),
  params: z.object(brand),
  query: z.object({
    ...paged({ pages: 10_000 }),
  }),
  resources: { brand_id: 'brand' },
  missing: brandNotFound,
  responses: { 200: z.object({ invitations: z.array(Invitation), total: z.int() }) },
})

export const createInvitation = route({
  id: 'workspaces.createInvitation',
  method: 'POST',
  path: '/api/v1/brands/{brand_id}/invitations',
  summary: 'Invites somebody by mail; the link in it is good for 7 days',
  description:
    'The person joins when they open the link, with an existing account or a new one. Without `role` they become a member.',
  example: { body: { email: 'grace@example.com', role: 'member' } },
  auth: adminToken('brand:admin'),
  params: z.object(brand),
  body: z.object({ email: Email, role: Role.optional() }),
  resources: { brand_id: 'brand' },
  missing: brandNotFound,
  responses: { 201: Invitation },
  refusals: [alreadyMember, alreadyInvited, tooManyLetters],
})

export const revokeInvitation = route({
  id: 'workspaces.revokeInvitation',
  method: 'DELETE',
  path: '/api/v1/brands/{brand_id}/invitations/{invitation_id}',
  summary: 'Takes an invitation back; its link is dead at once',
  description: 'The person can be invited again.',
  ...one,
  responses: { 200: z.object({ success: z.literal(true) }) },
})

export const resendInvitation = route({
  id: 'workspaces.resendInvitation',
  method: 'POST',
  path: '/api/v1/brands/{brand_id}/invitations/{invitation_id}/resend',
  summary: 'Sends a new link, good for 7 days from now; the old one dies with it',
  description: 'Use it when the mail was lost or the link is too old.',
  ...one,
  responses: { 200: Invitation },
  refusals: [invitationNotFound, tooManyLetters],
})

/** No parameter names a workspace: the link does. Whoever has an account brings their session. */
export const acceptInvitation = route({
  id: 'workspaces.acceptInvitation',
  method: 'POST',
  path: '/api/v1/invitations/accept',
  summary: 'Joins the workspace of the link, with one’s session or with a new account',
  description:
    '`token` is the value from the link in the mail. Somebody who is signed in under the invited address joins as they are; somebody new gives `full_name` and `password`.',
  example: {
    body: { token: 'the-token-from-the-link', full_name: 'Grace Hopper', password: 'correct horse battery' },
  },
  auth: visitor(),
  body: z.object({
    token: text(1, 200),
    full_name: text(1, 100).optional(),
    password: NewPassword.optional(),
  }),
  responses: { 200: z.object({ brand_id: z.int(), user_id: z.int(), role: Role }) },
  refusals: [invitationDead, invitationOfAnother, signInToAccept, accountNeeded, emailTaken, signUpClosed],
})

/** GST-G6: enqueued with the invitation, so there is a mail if and only if there is an invitation. */
export const sendInvitation = job({
  name: 'workspaces.send-invitation',
  payload: z.object({ brand_id: z.int(), invitation_id: z.int() }),
  batch_size: 8,
})
