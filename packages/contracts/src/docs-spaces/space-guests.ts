import { z } from 'zod'
import { personNotFound } from '../identity/refusals.ts'
import { route } from '../route.ts'
import { Uuid } from '../wire.ts'
import { alreadyMember } from '../workspaces/invitations.ts'
import { guestRoutes, guestUserId, resourceGuest } from '../workspaces/sharing.ts'
import * as refused from './refusals.ts'
import { oneSpace } from './spaces.ts'

export const SpaceGuest = resourceGuest('DocsSpaceGuest')
const guests = guestRoutes(SpaceGuest)
const ofSpace = { ...oneSpace, path: '/api/v1/docs/spaces/{space_id}/guests' } as const
const oneGuest = {
  path: '/api/v1/docs/spaces/{space_id}/guests/{user_id}',
  params: z.object({ space_id: Uuid, user_id: guestUserId }),
  resources: { space_id: 'docs_space', user_id: 'guest' },
  missing: refused.spaceGuestNotFound,
  refusals: [refused.spaceGuestNotFound],
} as const

export const listSpaceGuests = route({
  ...ofSpace,
  ...guests.list,
  id: 'docs.listSpaceGuests',
  summary: 'Guests of a docs space in the order of their ids, a page at a time',
  description: 'Pass `next_after` of one page as `after` of the next.',
  refusals: [refused.spaceNotFound],
})

export const addSpaceGuest = route({
  ...ofSpace,
  ...guests.add,
  id: 'docs.addSpaceGuest',
  summary: 'Lets a person from outside the workspace into a docs space',
  description: 'The person needs an account. A viewer or commenter reads, an editor also writes pages.',
  example: { body: { email: 'guest@example.com', role: 'viewer' } },
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
  ...guests.change,
  id: 'docs.changeSpaceGuest',
  summary: 'Changes what a guest may do in a docs space',
})

export const removeSpaceGuest = route({
  ...oneGuest,
  ...guests.remove,
  id: 'docs.removeSpaceGuest',
  summary: 'Ends the access of a guest to a docs space; what they wrote stays',
})
