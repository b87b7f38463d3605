import * as contract from '@crewhall/contracts/boards/claims.ts'
import { handle } from '#platform/http/handle.ts'
import { cardIdOf } from '../cards/task-ids.service.ts'
import * as service from './claims.service.ts'

export const claimRoutes = [
  handle(contract.listReadyCards, (ctx, { params, query }) =>
    service.listReadyCards(ctx, params.board_id, query),
  ),
  handle(contract.claimNext, (ctx, { params, body }) => service.claimNext(ctx, params.board_id, body)),
  handle(contract.claimCard, async (ctx, { params, body }) =>
    service.claimCard(ctx, await cardIdOf(ctx, params.task_id), body),
  ),
  handle(contract.extendClaim, async (ctx, { params, body }) =>
    service.extendClaim(ctx, await cardIdOf(ctx, params.task_id), body),
  ),
  handle(contract.releaseClaim, async (ctx, { params, body }) =>
    service.releaseClaim(ctx, await cardIdOf(ctx, params.task_id), body),
  ),
]
