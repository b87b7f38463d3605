import * as contract from '@crewhall/contracts/boards/runs.ts'
import { handle } from '#platform/http/handle.ts'
import { ListAnswer } from '#platform/http/list-answer.ts'
import { cardIdOf } from '../cards/task-ids.service.ts'
import { finishRun } from './finish-run.service.ts'
import * as service from './runs.service.ts'

export const runRoutes = [
  handle(
    contract.listRuns,
    async (ctx, { params, query }) =>
      new ListAnswer(await service.listRunPage(ctx, await cardIdOf(ctx, params.task_id), query)),
  ),
  handle(contract.startRun, async (ctx, { params, body }) =>
    service.startRun(ctx, await cardIdOf(ctx, params.task_id), body),
  ),
  handle(contract.changeRun, (ctx, { params, body }) => service.changeRun(ctx, params.run_id, body)),
  handle(contract.finishRun, (ctx, { params, body }) => finishRun(ctx, params.run_id, body)),
]
