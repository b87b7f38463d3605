import { z } from 'zod'
import { personNotFound } from '../identity/refusals.ts'
import { Email } from '../identity/sessions.ts'
import { adminToken, route } from '../route.ts'
import { pageLimit, queryInteger, Timestamp, Uuid } from '../wire.ts'
import { GuestRole } from '../workspaces/guests.ts'
import { alreadyMember } from '../workspaces/invitations.ts'
import * as refused from './refusals.ts'
import { oneSpace } from './spaces.ts'

/** A person from outside the workspace, in one docs space. */
export const SpaceGuest = z
  .object({
    user_id: z.int(),
    email: z.string(),
    full_name: z.string(),
    image: z.string().nullable(),
    role: GuestRole,
    added_at: Timestamp,
  })
  .meta({ id: 'DocsSpaceGuest' })
export type SpaceGuest = z.infer<typeof SpaceGuest>

const largestId = 2_147_483_647
const ofGuests = { ...oneSpace, auth: adminToken('brand:admin') } as const
const oneGuest = {
  auth: adminToken('brand:admin'),
  path: '/api/v1/docs/spaces/{space_id}/guests/{user_id}',
  params: z.object({ space_id: Uuid, user_id: queryInteger(1, largestId) }),
  resources: { space_id: 'docs_space', user_id: 'guest' },
  missing: refused.spaceGuestNotFound,
} as const

export const listSpaceGuests = route({
  ...ofGuests,
  id: 'docs.listSpaceGuests',
  method: 'GET',
  path: '/api/v1/docs/spaces/{space_id}/guests',
  summary: 'Guests of a docs space in the order of their ids, a page at a time',
  description: 'Pass `next_after` of one page as `after` of the next.',
  example: { query: { limit: '50' } },
  query: z.object({
    after: queryInteger(0, largestId).optional(),
    limit: pageLimit(),
  }),
  responses: { 200: z.object({ guests: z.array(SpaceGuest), next_after: z.int().nullable() }) },
  refusals: [refused.spaceNotFound],
})

/** By e-mail only: with a number, an admin could collect the names of strangers. */
export const addSpaceGuest = route({
  ...ofGuests,
  id: 'docs.addSpaceGuest',
  method: 'POST',
  path: '/api/v1/docs/spaces/{space_id}/guests',
  summary: 'Lets a person from outside the workspace into a docs space',
  description: 'The person needs an account. A viewer or commenter reads, an editor also writes pages.',
  example: { body: { email: 'guest@example.com', role: 'viewer' } },
  body: z.object({ email: Email, role: GuestRole }),
  responses: { 201: SpaceGuest },
  refusals: [
    refused.spaceNotFound,
    personNotFound,
    alreadyMember,
    refused.alreadyGuest,
    refused.docsAccessLimit,
  ],
})

export const changeSpaceGuest = route({
  ...oneGuest,
  id: 'docs.changeSpaceGuest',
  method: 'PATCH',
  summary: 'Changes what a guest may do in a docs space',
  description: 'Takes effect with the guest’s next request.',
  example: { body: { role: 'editor' } },
  body: z.object({ role: GuestRole }),
  responses: { 200: SpaceGuest },
  refusals: [refused.spaceGuestNotFound],
})

export const removeSpaceGuest = route({
  ...oneGuest,
  id: 'docs.removeSpaceGuest',
  method: 'DELETE',
  summary: 'Ends the access of a guest to a docs space; what they wrote stays',
  description: 'Takes effect with the guest’s next request.',
  responses: { 200: z.object({ removed: z.literal(true) }) },
  refusals: [refused.spaceGuestNotFound],
})
