import * as contract from '@crewhall/contracts/boards/runs.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './runs.service.ts'

export const runRoutes = [
  handle(contract.listRuns, (ctx, { params, query }) => service.listRunPage(ctx, params.task_id, query)),
  handle(contract.startRun, (ctx, { params, body }) => service.startRun(ctx, params.task_id, body)),
  handle(contract.changeRun, (ctx, { params, body }) => service.changeRun(ctx, params.run_id, body)),
]
