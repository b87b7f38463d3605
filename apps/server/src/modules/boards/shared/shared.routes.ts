import * as contract from '@crewhall/contracts/boards/shared.ts'
import { handle } from '#platform/http/handle.ts'
import { ListAnswer } from '#platform/http/list-answer.ts'
import * as service from './shared.service.ts'

export const sharedRoutes = [
  handle(contract.listSharedBoards, (ctx, { query }) => service.listSharedWith(ctx, query)),
  handle(contract.getSharedBoard, (ctx, { params }) => service.getSharedBoard(ctx, params.board_id)),
  handle(contract.listSharedCards, async (ctx, { params: { board_id }, query: { detail, ...at } }) =>
    detail === 'full'
      ? new ListAnswer(await service.listFullCardsForGuest(ctx, board_id, at))
      : service.listCardsForGuest(ctx, board_id, { ...at, detail }),
  ),
  handle(contract.createSharedCard, (ctx, { params, body }) =>
    service.addCardAsGuest(ctx, params.board_id, body),
  ),
  handle(contract.getSharedCard, (ctx, { params }) => service.getCardForGuest(ctx, params)),
  handle(contract.changeSharedCard, (ctx, { params, body, if_match }) =>
    service.changeCardAsGuest(ctx, params, body, if_match),
  ),
  handle(
    contract.listSharedComments,
    async (ctx, { params, query }) => new ListAnswer(await service.listCommentsForGuest(ctx, params, query)),
  ),
  handle(contract.addSharedComment, (ctx, { params, body }) => service.commentAsGuest(ctx, params, body)),
]
