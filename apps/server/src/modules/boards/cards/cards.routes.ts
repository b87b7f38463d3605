import * as contract from '@crewhall/contracts/boards/cards.ts'
import { cursorAndFilter } from '@crewhall/contracts/boards/filters.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { Answer } from '#platform/http/answer.ts'
import { versionTagOf } from '#platform/http/entity-tag.ts'
import { handle } from '#platform/http/handle.ts'
import { ListAnswer } from '#platform/http/list-answer.ts'
import { isFinding, listFoundCards, listFoundFull } from '../find/find.service.ts'
import { addCard } from './add-card.service.ts'
import { listCardsFrom, listFullCardsFrom } from './card-walk.service.ts'
import * as service from './cards.service.ts'
import { cardIdOf } from './task-ids.service.ts'

export const cardRoutes = (cursors: Cursors) => [
  handle(contract.listCards, async (ctx, { params: { board_id }, query: { cursor, detail, ...at } }) => {
    if (isFinding(at)) {
      if (cursor !== undefined) throw cursorAndFilter()
      return detail === 'full'
        ? new ListAnswer(await listFoundFull(ctx, board_id, at))
        : listFoundCards(ctx, board_id, { ...at, detail })
    }
    if (cursor === undefined) {
      return detail === 'full'
        ? new ListAnswer(await service.listFullPage(ctx, board_id, at))
        : service.listCardPage(ctx, board_id, { ...at, detail })
    }
    return detail === 'full'
      ? new ListAnswer(await listFullCardsFrom(ctx, cursors, board_id, { ...at, cursor }))
      : listCardsFrom(ctx, cursors, board_id, { ...at, cursor, detail })
  }),
  handle(contract.createCard, async (ctx, { params, query, body }) => {
    const added = await addCard(ctx, params.board_id, body)
    const isReceipt = query.return === 'receipt'
    return new Answer(201, isReceipt ? service.writtenOf(added) : added.card, limitHeader(added))
  }),
  handle(contract.getCard, async (ctx, { params }) =>
    service.getCard(ctx, await cardIdOf(ctx, params.task_id)),
  ),
  handle(contract.changeCard, async (ctx, { params, query, body, if_match }) => {
    const id = await cardIdOf(ctx, params.task_id)
    const changed = await service.changeCard(ctx, id, body, if_match)
    if (query.return === 'receipt') return receiptOf(changed)
    return new Answer(200, changed.card, limitHeader(changed))
  }),
  handle(contract.moveCard, async (ctx, { params, body, if_match }) =>
    receiptOf(await service.moveCard(ctx, await cardIdOf(ctx, params.task_id), body, if_match)),
  ),
  handle(contract.archiveCard, async (ctx, { params, body, if_match }) => {
    const conditions = { versions: if_match, epoch: body.claim_epoch }
    return service.archiveCard(ctx, await cardIdOf(ctx, params.task_id), true, conditions)
  }),
  handle(contract.restoreCard, async (ctx, { params, if_match }) =>
    service.archiveCard(ctx, await cardIdOf(ctx, params.task_id), false, { versions: if_match }),
  ),
]

/** A receipt does not contain the card, so the version for the next write goes into a header. */
const receiptOf = (changed: service.Changed) =>
  new Answer(200, changed.receipt, { etag: versionTagOf(changed.card.version), ...limitHeader(changed) })

/** The shape of receipts is fixed (BRD-18), so a header says that the column exceeds its limit. */
const limitHeader = ({ is_over_limit }: service.Added): Record<string, string> =>
  is_over_limit ? { 'x-over-limit': 'true' } : {}
