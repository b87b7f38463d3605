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
  summary: 'List the guests of a docs space, by id',
  description: 'Pass `next_after` of one page as `after` of the next.',
  refusals: [refused.spaceNotFound],
})

export const addSpaceGuest = route({
  ...ofSpace,
  ...guests.add,
  id: 'docs.addSpaceGuest',
  summary: 'Add a guest to a docs space',
  description:
    'The person must have an account. Viewers and commenters can read; editors can also write pages.',
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
  summary: 'Change the role of a guest in a docs space',
})

export const removeSpaceGuest = route({
  ...oneGuest,
  ...guests.remove,
  id: 'docs.removeSpaceGuest',
  summary: 'Remove a guest from a docs space; what they wrote stays',
})
