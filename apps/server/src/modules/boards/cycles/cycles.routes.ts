import * as contract from '@crewhall/contracts/boards/cycles.ts'
import { handle } from '#platform/http/handle.ts'
import { cardIdOf } from '../cards/task-ids.service.ts'
import * as service from './cycles.service.ts'

export const cycleRoutes = [
  handle(contract.listCycles, (ctx, { params, query }) => service.listCyclePage(ctx, params.board_id, query)),
  handle(contract.createCycle, (ctx, { params, body }) => service.addCycle(ctx, params.board_id, body)),
  handle(contract.getCycle, (ctx, { params }) => service.getCycle(ctx, params.cycle_id)),
  handle(contract.changeCycle, (ctx, { params, body }) => service.changeCycle(ctx, params.cycle_id, body)),
  handle(contract.removeCycle, (ctx, { params }) => service.removeCycle(ctx, params.cycle_id)),
  handle(contract.listCycleCards, (ctx, { params, query }) =>
    service.listCycleCards(ctx, params.cycle_id, query),
  ),
  handle(contract.addCycleCards, (ctx, { params, body }) =>
    service.addCards(ctx, params.cycle_id, body.task_ids),
  ),
  handle(contract.getCardCycle, async (ctx, { params }) =>
    service.getCycleOfCard(ctx, await cardIdOf(ctx, params.task_id)),
  ),
  handle(contract.leaveCycle, async (ctx, { params }) =>
    service.leaveCycle(ctx, await cardIdOf(ctx, params.task_id)),
  ),
  handle(contract.startCycle, (ctx, { params }) => service.startCycle(ctx, params.cycle_id)),
  handle(contract.closeCycle, (ctx, { params, body }) => service.closeCycle(ctx, params.cycle_id, body)),
]
