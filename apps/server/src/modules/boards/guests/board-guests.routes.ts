import * as contract from '@crewhall/contracts/boards/guests.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './board-guests.service.ts'

export const boardGuestRoutes = [
  handle(contract.listBoardGuests, (ctx, { params, query }) =>
    service.listGuestsOf(ctx, params.board_id, query),
  ),
  handle(contract.addBoardGuest, (ctx, { params, body }) => service.admitGuest(ctx, params.board_id, body)),
  handle(contract.changeBoardGuest, (ctx, { params, body }) => service.changeGuest(ctx, params, body.role)),
  handle(contract.removeBoardGuest, async (ctx, { params }) => {
    await service.dismissGuest(ctx, params)
    return { removed: true as const }
  }),
]
