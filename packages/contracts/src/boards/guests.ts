import { z } from 'zod'
import { personNotFound } from '../identity/refusals.ts'
import { Email } from '../identity/sessions.ts'
import { refusal } from '../refusal.ts'
import { adminToken, route } from '../route.ts'
import { pageLimit, queryInteger, Timestamp, Uuid } from '../wire.ts'
import { GuestRole, guestNotFound } from '../workspaces/guests.ts'
import { alreadyMember } from '../workspaces/invitations.ts'
import { boardFamily, inBoard } from './boards.ts'
import * as refused from './refusals.ts'

export const alreadyBoardGuest = refusal(409, 'This person is a guest of this board already')
export const boardAccessLimit = refusal(409, 'A workspace gives at most 1000 accesses of guests to boards')

/** A person from outside the workspace, on one board. */
export const BoardGuest = z
  .object({
    user_id: z.int(),
    email: z.string(),
    full_name: z.string(),
    image: z.string().nullable(),
    role: GuestRole,
    added_at: Timestamp,
  })
  .meta({ id: 'BoardGuest' })
export type BoardGuest = z.infer<typeof BoardGuest>

const largestId = 2_147_483_647
const ofGuests = {
  ...inBoard,
  auth: adminToken('brand:admin'),
  path: '/api/v1/board/boards/{board_id}/guests',
} as const
const oneGuest = {
  ...boardFamily,
  auth: adminToken('brand:admin'),
  path: '/api/v1/board/boards/{board_id}/guests/{user_id}',
  params: z.object({ board_id: Uuid, user_id: queryInteger(1, largestId) }),
  resources: { board_id: 'board', user_id: 'board_guest' },
  missing: guestNotFound,
} as const

export const listBoardGuests = route({
  ...ofGuests,
  id: 'boards.listBoardGuests',
  method: 'GET',
  summary: 'Guests of a board in the order of their ids, a page at a time',
  description: 'Pass `next_after` of one page as `after` of the next; it is null on the last page.',
  example: { query: { limit: '50' } },
  query: z.object({
    after: queryInteger(0, largestId).optional(),
    limit: pageLimit(),
  }),
  responses: { 200: z.object({ guests: z.array(BoardGuest), next_after: z.int().nullable() }) },
  refusals: [refused.boardNotFound],
})

/** By e-mail only: with a number, an admin could collect the names of strangers. */
export const addBoardGuest = route({
  ...ofGuests,
  id: 'boards.addBoardGuest',
  method: 'POST',
  summary: 'Lets a person from outside the workspace onto a board',
  description:
    'The person needs an account. A viewer reads, a commenter also comments, an editor also writes cards. Guests never see fields meant for agents.',
  example: { body: { email: 'guest@example.com', role: 'commenter' } },
  body: z.object({ email: Email, role: GuestRole }),
  responses: { 201: BoardGuest },
  refusals: [
    refused.boardNotFound,
    refused.boardArchived,
    personNotFound,
    alreadyMember,
    alreadyBoardGuest,
    boardAccessLimit,
  ],
})

export const changeBoardGuest = route({
  ...oneGuest,
  id: 'boards.changeBoardGuest',
  method: 'PATCH',
  summary: 'Changes what a guest may do on a board',
  description: 'Takes effect with the guest’s next request.',
  example: { body: { role: 'editor' } },
  body: z.object({ role: GuestRole }),
  responses: { 200: BoardGuest },
  refusals: [guestNotFound],
})

export const removeBoardGuest = route({
  ...oneGuest,
  id: 'boards.removeBoardGuest',
  method: 'DELETE',
  summary: 'Ends the access of a guest to a board; what they wrote stays',
  description: 'Takes effect with the guest’s next request.',
  responses: { 200: z.object({ removed: z.literal(true) }) },
  refusals: [guestNotFound],
})
