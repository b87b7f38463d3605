import * as contract from '@crewhall/contracts/boards/relations.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './relations.service.ts'

export const relationRoutes = [
  handle(contract.listRelations, (ctx, { params }) => service.readRelations(ctx, params.task_id)),
  handle(contract.addRelation, (ctx, { params }) => service.relate(ctx, params)),
  handle(contract.removeRelation, (ctx, { params }) => service.unrelate(ctx, params)),
]
