import * as contract from '@crewhall/contracts/boards/cards.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { Answer } from '#platform/http/answer.ts'
import { versionTagOf } from '#platform/http/entity-tag.ts'
import { handle } from '#platform/http/handle.ts'
import { listCardsFrom } from './card-walk.service.ts'
import * as service from './cards.service.ts'

export const cardRoutes = (cursors: Cursors) => [
  handle(contract.listCards, (ctx, { params, query: { cursor, ...query } }) =>
    cursor === undefined
      ? service.listCardPage(ctx, params.board_id, query)
      : listCardsFrom(ctx, cursors, params.board_id, { ...query, cursor }),
  ),
  handle(contract.createCard, (ctx, { params, body }) => service.addCard(ctx, params.board_id, body)),
  handle(contract.getCard, (ctx, { params }) => service.getCard(ctx, params.task_id)),
  handle(contract.changeCard, async (ctx, { params, query, body, if_match }) => {
    const changed = await service.changeCard(ctx, params.task_id, body, if_match)
    return query.return === 'receipt' ? receiptOf(changed) : changed.card
  }),
  handle(contract.moveCard, async (ctx, { params, body, if_match }) =>
    receiptOf(await service.moveCard(ctx, params.task_id, body, if_match)),
  ),
  handle(contract.archiveCard, (ctx, { params, body, if_match }) =>
    service.archiveCard(ctx, params.task_id, true, { versions: if_match, epoch: body.claim_epoch }),
  ),
  handle(contract.restoreCard, (ctx, { params, if_match }) =>
    service.archiveCard(ctx, params.task_id, false, { versions: if_match }),
  ),
]

/** A receipt does not show the card, so the version that the next write may name is told beside it. */
const receiptOf = ({ card, receipt }: service.Changed) =>
  new Answer(200, receipt, { etag: versionTagOf(card.version) })
