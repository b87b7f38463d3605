import * as contract from '@crewhall/contracts/code-index/index-state.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './runs.service.ts'

export const runRoutes = [
  handle(contract.requestIndex, (ctx, { params }) => service.requestIndex(ctx, params.project_id)),
  handle(contract.getIndex, (ctx, { params }) => service.getIndexState(ctx, params.project_id)),
]
