import * as contract from '@crewhall/contracts/boards/relations.ts'
import { handle } from '#platform/http/handle.ts'
import { cardIdOf } from '../cards/task-ids.service.ts'
import * as service from './relations.service.ts'

export const relationRoutes = [
  handle(contract.listRelations, async (ctx, { params }) =>
    service.readRelations(ctx, await cardIdOf(ctx, params.task_id)),
  ),
  handle(contract.addRelation, async (ctx, { params }) =>
    service.relate(ctx, await service.namedBy(ctx, params)),
  ),
  handle(contract.removeRelation, async (ctx, { params }) =>
    service.unrelate(ctx, await service.namedBy(ctx, params)),
  ),
]
