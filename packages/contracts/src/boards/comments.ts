import { z } from 'zod'
import { refusal } from '../refusal.ts'
import { route } from '../route.ts'
import { paged, Timestamp, text, Uuid } from '../wire.ts'
import { boardFamily } from './boards.ts'
import { Actor } from './card-fields.ts'
import * as refused from './refusals.ts'
import { TaskId } from './task-ids.ts'

export const commentNotFound = refusal(404, 'Comment not found')
export const notTheAuthor = refusal(403, 'Only the author or an admin may change a comment')
export const noSuchParent = refusal(400, 'parent_id: no such comment on this card')

export const Comment = z
  .object({
    id: Uuid,
    task_id: Uuid,
    parent_id: Uuid.nullable(),
    /** Markdown. */
    body: z.string(),
    author: Actor,
    created_at: Timestamp,
    edited_at: Timestamp.nullable(),
  })
  .meta({ id: 'CardComment' })
export type Comment = z.infer<typeof Comment>

const Body = text(1, 65_536)
const ofCard = {
  ...boardFamily,
  params: z.object({ task_id: TaskId }),
  resources: { task_id: 'card' },
  missing: refused.cardNotFound,
} as const
const one = {
  ...boardFamily,
  params: z.object({ comment_id: Uuid }),
  resources: { comment_id: 'comment' },
  missing: commentNotFound,
} as const

export const listComments = route({
  ...ofCard,
  id: 'boards.listComments',
  is_long: true,
  method: 'GET',
  path: '/api/v1/board/tasks/{task_id}/comments',
  summary: 'List the comments on a card, oldest first',
  description: 'Replies carry the id of their comment in `parent_id`.',
  example: { query: { per_page: '50' } },
  query: z.object({
    ...paged(),
  }),
  responses: {
    200: z.object({ items: z.array(Comment), total: z.int(), page: z.int(), per_page: z.int() }),
  },
  refusals: [refused.cardNotFound],
})

export const addComment = route({
  ...ofCard,
  id: 'boards.addComment',
  method: 'POST',
  path: '/api/v1/board/tasks/{task_id}/comments',
  summary: 'Comment on a card',
  description: '`body` is Markdown. With `parent_id`, it is a reply to that comment.',
  example: { body: { body: 'The carriage slips on the fourth wheel.' } },
  body: z.object({ body: Body, parent_id: Uuid.optional() }),
  resources: { task_id: 'card', 'body.parent_id': 'answered_comment' },
  responses: { 201: Comment },
  refusals: [refused.cardNotFound, refused.boardArchived, noSuchParent],
})

export const changeComment = route({
  ...one,
  id: 'boards.changeComment',
  method: 'PATCH',
  path: '/api/v1/board/comments/{comment_id}',
  summary: 'Edit your comment',
  description: 'Only the author can edit a comment.',
  example: { body: { body: 'The carriage slips on the fourth and fifth wheel.' } },
  body: z.object({ body: Body }),
  responses: { 200: Comment },
  refusals: [commentNotFound, notTheAuthor, refused.boardArchived],
})

export const removeComment = route({
  ...one,
  id: 'boards.removeComment',
  method: 'DELETE',
  path: '/api/v1/board/comments/{comment_id}',
  summary: 'Remove a comment and its replies',
  description: 'Authors can remove their own comments; admins can remove any.',
  responses: { 200: z.object({ removed: z.int() }) },
  refusals: [commentNotFound, notTheAuthor, refused.boardArchived],
})
