import * as contract from '@crewhall/contracts/boards/children.ts'
import { handle } from '#platform/http/handle.ts'
import { cardIdOf } from '../cards/task-ids.service.ts'
import { readChildren } from './children.service.ts'

export const childrenRoutes = [
  handle(contract.listChildren, async (ctx, { params }) =>
    readChildren(ctx, await cardIdOf(ctx, params.task_id)),
  ),
]
