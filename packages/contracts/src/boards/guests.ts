import { z } from 'zod'
import { personNotFound } from '../identity/refusals.ts'
import { refusal } from '../refusal.ts'
import { route } from '../route.ts'
import { Uuid } from '../wire.ts'
import { guestNotFound } from '../workspaces/guests.ts'
import { alreadyMember } from '../workspaces/invitations.ts'
import { guestRoutes, guestUserId, resourceGuest } from '../workspaces/sharing.ts'
import { boardFamily, inBoard } from './boards.ts'
import * as refused from './refusals.ts'

export const alreadyBoardGuest = refusal(409, 'This person is a guest of this board already')
export const boardAccessLimit = refusal(409, 'A workspace gives at most 1000 accesses of guests to boards')

export const BoardGuest = resourceGuest('BoardGuest')
const guests = guestRoutes(BoardGuest)
const ofBoard = { ...inBoard, path: '/api/v1/board/boards/{board_id}/guests' } as const
const oneGuest = {
  ...boardFamily,
  path: '/api/v1/board/boards/{board_id}/guests/{user_id}',
  params: z.object({ board_id: Uuid, user_id: guestUserId }),
  resources: { board_id: 'board', user_id: 'board_guest' },
  missing: guestNotFound,
  refusals: [guestNotFound],
} as const

export const listBoardGuests = route({
  ...ofBoard,
  ...guests.list,
  id: 'boards.listBoardGuests',
  summary: 'Guests of a board in the order of their ids, a page at a time',
  description: 'Pass `next_after` of one page as `after` of the next; it is null on the last page.',
  refusals: [refused.boardNotFound],
})

export const addBoardGuest = route({
  ...ofBoard,
  ...guests.add,
  id: 'boards.addBoardGuest',
  summary: 'Lets a person from outside the workspace onto a board',
  description:
    'The person needs an account. A viewer reads, a commenter also comments, an editor also writes cards. Guests never see fields meant for agents.',
  example: { body: { email: 'guest@example.com', role: 'commenter' } },
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
  ...guests.change,
  id: 'boards.changeBoardGuest',
  summary: 'Changes what a guest may do on a board',
})

export const removeBoardGuest = route({
  ...oneGuest,
  ...guests.remove,
  id: 'boards.removeBoardGuest',
  summary: 'Ends the access of a guest to a board; what they wrote stays',
})
