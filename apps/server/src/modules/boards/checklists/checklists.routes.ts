import * as contract from '@crewhall/contracts/boards/checklists.ts'
import { handle } from '#platform/http/handle.ts'
import { cardIdOf } from '../cards/task-ids.service.ts'
import * as service from './checklists.service.ts'

export const checklistRoutes = [
  handle(contract.listChecklist, async (ctx, { params }) =>
    service.readChecklist(ctx, await cardIdOf(ctx, params.task_id)),
  ),
  handle(contract.addChecklistItems, async (ctx, { params, body }) =>
    service.addItems(ctx, await cardIdOf(ctx, params.task_id), body),
  ),
  handle(contract.changeChecklistItem, (ctx, { params, body }) =>
    service.changeItem(ctx, params.item_id, body),
  ),
  handle(contract.removeChecklistItem, (ctx, { params }) => service.removeItem(ctx, params.item_id)),
]
