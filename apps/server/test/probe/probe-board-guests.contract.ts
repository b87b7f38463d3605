import { boardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import { adminToken, person, route } from '@crewhall/contracts/route.ts'
import { queryInteger, Uuid } from '@crewhall/contracts/wire.ts'
import { guestNotFound } from '@crewhall/contracts/workspaces/guests.ts'
import { alreadyMember } from '@crewhall/contracts/workspaces/invitations.ts'
import { z } from 'zod'

// What the product does with guests of boards, as it is written without thinking of two callers at once.

export const naiveGuestComment = route({
  id: 'probe.naiveGuestComment',
  method: 'POST',
  path: '/api/v1/probe/naive/board/shared/{board_id}/comments',
  summary: 'Looks whether the caller may write, then tells the board that they did',
  auth: person('session'),
  params: z.object({ board_id: Uuid }),
  resources: { board_id: 'shared_board' },
  missing: boardNotFound,
  responses: { 201: z.object({ written: z.literal(true) }) },
  refusals: [boardNotFound],
})

export const naiveAdmitToBoard = route({
  id: 'probe.naiveAdmitToBoard',
  method: 'PUT',
  path: '/api/v1/probe/naive/board/boards/{board_id}/guests/{user_id}',
  summary: 'Looks whether the person is a member, then lets them onto the board as a guest',
  auth: adminToken('brand:admin'),
  params: z.object({ board_id: Uuid, user_id: queryInteger(1, 2_147_483_647) }),
  resources: { board_id: 'board', user_id: 'board_guest' },
  missing: guestNotFound,
  responses: { 200: z.object({ admitted: z.literal(true) }) },
  refusals: [alreadyMember],
})

export const probeBoardGuestRoutes = { naiveGuestComment, naiveAdmitToBoard } as const
