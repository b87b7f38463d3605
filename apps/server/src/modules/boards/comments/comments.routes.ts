import * as contract from '@crewhall/contracts/boards/comments.ts'
import { handle } from '#platform/http/handle.ts'
import { ListAnswer } from '#platform/http/list-answer.ts'
import { cardIdOf } from '../cards/task-ids.service.ts'
import * as service from './comments.service.ts'

export const commentRoutes = [
  handle(
    contract.listComments,
    async (ctx, { params, query }) =>
      new ListAnswer(await service.listCommentPage(ctx, await cardIdOf(ctx, params.task_id), query)),
  ),
  handle(contract.addComment, async (ctx, { params, body }) =>
    service.addComment(ctx, await cardIdOf(ctx, params.task_id), body),
  ),
  handle(contract.changeComment, (ctx, { params, body }) =>
    service.changeComment(ctx, params.comment_id, body.body),
  ),
  handle(contract.removeComment, (ctx, { params }) => service.removeComment(ctx, params.comment_id)),
]
