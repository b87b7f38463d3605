import * as contract from '@crewhall/contracts/boards/guests.ts'
import { handle } from '#platform/http/handle.ts'
import { boardSharing } from './board-guests.service.ts'

const refOf = ({ board_id, user_id }: { board_id: string; user_id: number }) => ({
  resource_id: board_id,
  person_id: user_id,
})

export const boardGuestRoutes = [
  handle(contract.listBoardGuests, (ctx, { params, query }) =>
    boardSharing.listGuests(ctx, params.board_id, query),
  ),
  handle(contract.addBoardGuest, (ctx, { params, body }) =>
    boardSharing.addGuest(ctx, params.board_id, body),
  ),
  handle(contract.changeBoardGuest, (ctx, { params, body }) =>
    boardSharing.changeGuest(ctx, refOf(params), body.role),
  ),
  handle(contract.removeBoardGuest, async (ctx, { params }) => {
    await boardSharing.removeGuest(ctx, refOf(params))
    return { removed: true as const }
  }),
]
