import { z } from 'zod'
import { brandNotFound } from '../identity/refusals.ts'
import { job } from '../job.ts'
import { refusal, tooManyLetters } from '../refusal.ts'
import { adminToken, route } from '../route.ts'
import { queryInteger, Uuid } from '../wire.ts'
import { alreadyInvited, alreadyMember, Invitation } from './invitations.ts'

export const guestNotFound = refusal(404, 'Guest not found')
/** GST-G1: one text for a store with an invalid response and for one that is unreachable. */
export const boardsInvalid = refusal(502, 'Boards service returned an invalid response')

export const docsInvalid = refusal(502, 'Docs service returned an invalid response')

export const commenterRequired = refusal(403, 'Commenter access required')
export const editorRequired = refusal(403, 'Editor access required')

export const guestKinds = ['board', 'docs'] as const
export type GuestKind = (typeof guestKinds)[number]

/** What a guest may do: read, also comment, or also write. */
export const GuestRole = z.enum(['viewer', 'commenter', 'editor'])
export type GuestRole = z.infer<typeof GuestRole>

/** A resource that a guest can open. */
export const GuestAccessItem = z
  .object({
    kind: z.enum(guestKinds),
    resource_id: Uuid,
    name: z.string(),
    /** The guest's role on it. */
    role: z.string().nullable(),
  })
  .meta({ id: 'GuestAccess' })
export type GuestAccessItem = z.infer<typeof GuestAccessItem>

/** GST-01: a person outside the workspace who can open some of its boards or docs spaces. */
export const Guest = z
  .object({
    user_id: z.int(),
    email: z.string(),
    full_name: z.string(),
    image: z.string().nullable(),
    access: z.array(GuestAccessItem),
  })
  .meta({ id: 'Guest' })
export type Guest = z.infer<typeof Guest>

const auth = adminToken('brand:admin')
const brand = { brand_id: z.string() }
const oneGuest = {
  auth,
  params: z.object({ ...brand, user_id: queryInteger(1, 2_147_483_647) }),
  resources: { brand_id: 'brand', user_id: 'guest' },
  missing: guestNotFound,
} as const

/** GST-G2: no pages. The number of grants is limited where they are made. */
export const listGuests = route({
  id: 'workspaces.listGuests',
  is_long: true,
  method: 'GET',
  path: '/api/v1/brands/{brand_id}/guests',
  summary: 'List the guests of the workspace and what each can open, by name',
  description: 'One entry per person, with every board and docs space they can open and their role in it.',
  auth,
  params: z.object(brand),
  resources: { brand_id: 'brand' },
  missing: brandNotFound,
  responses: { 200: z.object({ guests: z.array(Guest), total: z.int() }) },
  refusals: [boardsInvalid, docsInvalid],
})

export const makeMember = route({
  ...oneGuest,
  id: 'workspaces.makeMember',
  method: 'POST',
  path: '/api/v1/brands/{brand_id}/guests/{user_id}/make-member',
  summary: 'Invite a guest to become a member',
  description: 'Sends the guest an invitation by e-mail. They remain a guest until they accept it.',
  responses: { 201: Invitation },
  refusals: [alreadyMember, alreadyInvited, guestNotFound, boardsInvalid, docsInvalid, tooManyLetters],
})

export const removeGuest = route({
  ...oneGuest,
  id: 'workspaces.removeGuest',
  method: 'DELETE',
  path: '/api/v1/brands/{brand_id}/guests/{user_id}',
  summary: 'Remove a guest from every board and docs space; what they wrote stays',
  description: 'Takes effect with the next request of the guest.',
  responses: {
    200: z.object({ success: z.literal(true), boards_removed: z.int(), docs_removed: z.int() }),
  },
  refusals: [guestNotFound, boardsInvalid, docsInvalid],
})

/** Enqueued in the transaction that grants the access. */
export const sendGuestLetter = job({
  name: 'workspaces.send-guest-letter',
  sends_mail: true,
  payload: z.object({
    brand_id: z.int(),
    person_id: z.int(),
    inviter_id: z.int().nullable(),
    kind: z.enum(guestKinds),
    resource_id: z.string(),
    letter_id: z.string(),
  }),
  batch_size: 8,
})
