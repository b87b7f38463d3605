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

export const alreadyBoardGuest = refusal(409, 'This person is already a guest of this board')
export const boardAccessLimit = refusal(409, 'A workspace can share boards with guests at most 1000 times')

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
  summary: 'List the guests of a board, by id',
  description: 'Pass `next_after` of one page as `after` of the next; it is null on the last page.',
  refusals: [refused.boardNotFound],
})

export const addBoardGuest = route({
  ...ofBoard,
  ...guests.add,
  id: 'boards.addBoardGuest',
  summary: 'Add a guest to a board',
  description:
    'The person must have an account. Viewers can read, commenters can also comment, editors can also write cards. Guests never see fields meant for agents.',
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
  summary: 'Change the role of a guest on a board',
})

export const removeBoardGuest = route({
  ...oneGuest,
  ...guests.remove,
  id: 'boards.removeBoardGuest',
  summary: 'Remove a guest from a board; what they wrote stays',
})
