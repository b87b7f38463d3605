import { alreadyBoardGuest, boardAccessLimit } from '@crewhall/contracts/boards/guests.ts'
import { boardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import { guestNotFound } from '@crewhall/contracts/workspaces/guests.ts'
import { createSharing } from '#modules/workspaces'
import { lockOpenBoard } from '../boards/boards.service.ts'
import { findBoard, lockBoard } from '../boards/boards.store.ts'
import { boardActorOf } from '../writes/board-actor.ts'
import { recordActivity } from '../writes/record-activity.service.ts'
import { boardGuestTables, lockBoardsOfGuest } from './board-guests.store.ts'

export const boardSharing = createSharing({
  kind: 'board',
  id_field: 'board_id',
  tables: boardGuestTables,
  refusals: {
    not_found: boardNotFound,
    guest_not_found: guestNotFound,
    already_guest: alreadyBoardGuest,
    too_many: boardAccessLimit,
  },
  find: findBoard,
  lockOpen: lockOpenBoard,
  locks: { one: lockBoard, allOf: lockBoardsOfGuest },
  record: (ctx, board_id, action, data) =>
    recordActivity(ctx, { board_id, card_id: null, action, actor: boardActorOf(ctx.actor), data }),
})
