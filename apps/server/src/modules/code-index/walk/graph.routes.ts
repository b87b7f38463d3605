import * as contract from '@crewhall/contracts/code-index/graph.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './graph.service.ts'

export const graphRoutes = [
  handle(contract.getGraph, (ctx, { params, query }) => service.getCodeGraph(ctx, params.project_id, query)),
]
