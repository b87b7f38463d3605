import { lastAdminDemoted, resetInstead } from '@crewhall/contracts/identity/refusals.ts'
import { adminToken, person, route } from '@crewhall/contracts/route.ts'
import { queryInteger, text } from '@crewhall/contracts/wire.ts'
import { alreadyInvited, invitationDead } from '@crewhall/contracts/workspaces/invitations.ts'
import { z } from 'zod'

// What the product does with members and invitations, as it is written without thinking of two callers at
// once: look first, act afterwards. The races of the real ones must go wrong here, or they would prove nothing.

const brand = { brand_id: z.string() }
const ofMember = {
  auth: adminToken('brand:admin'),
  params: z.object({ ...brand, user_id: queryInteger(1, 2_147_483_647) }),
  resources: { brand_id: 'brand', user_id: 'member' },
} as const
const Done = z.object({ done: z.literal(true) })

export const naiveDemote = route({
  ...ofMember,
  id: 'probe.naiveDemote',
  method: 'POST',
  path: '/api/v1/probe/naive/brands/{brand_id}/members/{user_id}/demote',
  summary: 'Counts admins, then makes one a member',
  responses: { 200: Done },
  refusals: [lastAdminDemoted],
})

export const naiveSetPassword = route({
  ...ofMember,
  id: 'probe.naiveSetPassword',
  method: 'POST',
  path: '/api/v1/probe/naive/brands/{brand_id}/members/{user_id}/set-password',
  summary: 'Counts workspaces of the person, hashes, then writes',
  body: z.object({ password: text(8, 128) }),
  responses: { 200: Done },
  refusals: [resetInstead],
})

export const naiveInvite = route({
  id: 'probe.naiveInvite',
  method: 'POST',
  path: '/api/v1/probe/naive/brands/{brand_id}/invitations',
  summary: 'Looks for a pending invitation, then writes one',
  auth: adminToken('brand:admin'),
  params: z.object(brand),
  resources: { brand_id: 'brand' },
  body: z.object({ email: text(1, 254) }),
  responses: { 201: Done },
  refusals: [alreadyInvited],
})

export const naiveAccept = route({
  id: 'probe.naiveAccept',
  method: 'POST',
  path: '/api/v1/probe/naive/invitations/accept',
  summary: 'Looks whether the link is good, then lets the person in and closes the invitation',
  auth: person('session'),
  body: z.object({ token: text(1, 200) }),
  responses: { 200: Done },
  refusals: [invitationDead],
})

export const probeMemberRoutes = { naiveDemote, naiveSetPassword, naiveInvite, naiveAccept } as const
