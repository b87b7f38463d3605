import * as contract from '@crewhall/contracts/boards/watchers.ts'
import { handle } from '#platform/http/handle.ts'
import { cardIdOf } from '../cards/task-ids.service.ts'
import * as service from './watchers.service.ts'

export const watcherRoutes = [
  handle(contract.listWatchers, async (ctx, { params }) =>
    service.listWatchersOf(ctx, await cardIdOf(ctx, params.task_id)),
  ),
  handle(contract.watchCard, async (ctx, { params }) =>
    service.watch(ctx, await cardIdOf(ctx, params.task_id), true),
  ),
  handle(contract.leaveCard, async (ctx, { params }) =>
    service.watch(ctx, await cardIdOf(ctx, params.task_id), false),
  ),
]
