import { adminToken, route } from '@crewhall/contracts/route.ts'
import { queryInteger, Uuid } from '@crewhall/contracts/wire.ts'
import { guestNotFound } from '@crewhall/contracts/workspaces/guests.ts'
import { alreadyInvited, alreadyMember } from '@crewhall/contracts/workspaces/invitations.ts'
import { z } from 'zod'

// What the product does with guests, as it is written without thinking of two callers at once. The races of
// the real ones must go wrong here, or they would prove nothing.

const user_id = queryInteger(1, 2_147_483_647)
const oneGuest = {
  auth: adminToken('brand:admin'),
  params: z.object({ brand_id: z.string(), user_id }),
  resources: { brand_id: 'brand', user_id: 'guest' },
  missing: guestNotFound,
} as const

export const naiveMakeMember = route({
  ...oneGuest,
  id: 'probe.naiveMakeMember',
  method: 'POST',
  path: '/api/v1/probe/naive/brands/{brand_id}/guests/{user_id}/make-member',
  summary: 'Looks for a pending invitation, then writes one',
  responses: { 201: z.object({ id: z.int() }) },
  refusals: [alreadyInvited],
})

export const naiveRemoveGuest = route({
  ...oneGuest,
  id: 'probe.naiveRemoveGuest',
  method: 'DELETE',
  path: '/api/v1/probe/naive/brands/{brand_id}/guests/{user_id}',
  summary: 'Looks whether they are a member, counts what they can open, removes it, revokes the invitation',
  responses: { 200: z.object({ docs_removed: z.int() }) },
  refusals: [guestNotFound],
})

export const naiveAdmit = route({
  id: 'probe.naiveAdmit',
  method: 'PUT',
  path: '/api/v1/probe/naive/brands/{brand_id}/spaces/{space_id}/guests/{user_id}',
  summary: 'Looks whether the person is a member, then lets them in as a guest',
  auth: adminToken('brand:admin'),
  params: z.object({ brand_id: z.string(), space_id: Uuid, user_id }),
  resources: { brand_id: 'brand', space_id: 'docs_space', user_id: 'guest' },
  missing: guestNotFound,
  responses: { 200: z.object({ admitted: z.literal(true) }) },
  refusals: [alreadyMember],
})

export const probeGuestRoutes = { naiveMakeMember, naiveRemoveGuest, naiveAdmit } as const
