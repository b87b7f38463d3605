import * as contract from '@crewhall/contracts/boards/cards.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './cards.service.ts'

export const cardRoutes = [
  handle(contract.listCards, (ctx, { params, query }) => service.listCardPage(ctx, params.board_id, query)),
  handle(contract.createCard, (ctx, { params, body }) => service.addCard(ctx, params.board_id, body)),
  handle(contract.getCard, (ctx, { params }) => service.getCard(ctx, params.task_id)),
  handle(contract.changeCard, async (ctx, { params, query, body }) => {
    const { card, receipt } = await service.changeCard(ctx, params.task_id, body)
    return query.return === 'receipt' ? receipt : card
  }),
  handle(contract.moveCard, (ctx, { params, body }) => service.moveCard(ctx, params.task_id, body)),
  handle(contract.archiveCard, (ctx, { params }) => service.archiveCard(ctx, params.task_id, true)),
  handle(contract.restoreCard, (ctx, { params }) => service.archiveCard(ctx, params.task_id, false)),
]
