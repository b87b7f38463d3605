import * as contract from '@crewhall/contracts/boards/runs.ts'
import { handle } from '#platform/http/handle.ts'
import { ListAnswer } from '#platform/http/list-answer.ts'
import * as service from './runs.service.ts'

export const runRoutes = [
  handle(
    contract.listRuns,
    async (ctx, { params, query }) => new ListAnswer(await service.listRunPage(ctx, params.task_id, query)),
  ),
  handle(contract.startRun, (ctx, { params, body }) => service.startRun(ctx, params.task_id, body)),
  handle(contract.changeRun, (ctx, { params, body }) => service.changeRun(ctx, params.run_id, body)),
]
