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
/** One text for links that were used, replaced, revoked, have expired or never existed. */
export const invitationDead = refusal(400, 'This invitation is no longer valid')
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
    /** Expired invitations are shown as `expired`; they do not block a new one and can be sent again. */
    status: z.enum(['pending', 'expired', 'accepted', 'revoked']),
    /** State of the e-mail: the mail server may reject an address permanently. */
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
  summary: 'List the open invitations, newest first',
  description: 'Invitations that were accepted or revoked are omitted.',
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
  summary: 'Invite someone by e-mail',
  description:
    'The link is valid for 7 days. The person joins by opening it, with an existing account or a new one. The default `role` is `member`.',
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
  summary: 'Revoke an invitation',
  description: 'The link stops working immediately. The person can be invited again.',
  ...one,
  responses: { 200: z.object({ success: z.literal(true) }) },
})

export const resendInvitation = route({
  id: 'workspaces.resendInvitation',
  method: 'POST',
  path: '/api/v1/brands/{brand_id}/invitations/{invitation_id}/resend',
  summary: 'Send an invitation again, with a new link',
  description: 'The new link is valid for 7 days; the old one stops working.',
  ...one,
  responses: { 200: Invitation },
  refusals: [invitationNotFound, tooManyLetters],
})

/** The link identifies the workspace, not a parameter. People with an account use their session. */
export const acceptInvitation = route({
  id: 'workspaces.acceptInvitation',
  method: 'POST',
  path: '/api/v1/invitations/accept',
  summary: 'Accept an invitation',
  description:
    '`token` comes from the link in the e-mail. If you are signed in with the invited address, you join with that account; otherwise `full_name` and `password` create one.',
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

/** GST-G6: enqueued with the invitation, so there is an e-mail if and only if there is an invitation. */
export const sendInvitation = job({
  name: 'workspaces.send-invitation',
  sends_mail: true,
  payload: z.object({ brand_id: z.int(), invitation_id: z.int() }),
  batch_size: 8,
})
