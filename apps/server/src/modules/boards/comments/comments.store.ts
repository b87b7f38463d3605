import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import { noSuchParent } from '@crewhall/contracts/boards/comments.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { violates } from '#platform/db/pg-errors.ts'
import { sqlStatement } from '#platform/db/statement.ts'

export interface CommentRow {
  readonly id: string
  readonly card_id: string
  readonly parent_id: string | null
  readonly body: string
  readonly author: Actor
  readonly created_at: string
  readonly edited_at: string | null
}

const columns = 'id, card_id, parent_id, body, author, created_at, edited_at'
type One = { brand_id: number; id: string }

const list = sqlStatement<{ brand_id: number; card_id: string; limit: number; offset: number }, CommentRow>(
  `select ${columns} from boards.comments where brand_id = $1 and card_id = $2
   order by created_at, id limit $3 offset $4`,
  'brand_id',
  'card_id',
  'limit',
  'offset',
)
const find = sqlStatement<One, CommentRow>(
  `select ${columns} from boards.comments where brand_id = $1 and id = $2`,
  'brand_id',
  'id',
)
const add = sqlStatement<
  { brand_id: number; card_id: string; parent_id: string | null; body: string; author: string },
  CommentRow
>(
  `insert into boards.comments (brand_id, card_id, parent_id, body, author)
   values ($1, $2, $3, $4, $5::jsonb) returning ${columns}`,
  'brand_id',
  'card_id',
  'parent_id',
  'body',
  'author',
)
const update = sqlStatement<One & { body: string }, CommentRow>(
  `update boards.comments set body = $3, edited_at = platform.clock_now()
   where brand_id = $1 and id = $2 returning ${columns}`,
  'brand_id',
  'id',
  'body',
)
const remove = sqlStatement<One, unknown>(
  'delete from boards.comments where brand_id = $1 and id = $2',
  'brand_id',
  'id',
)
// Answers go with what they answer, so the number is counted and not carried on.
const recount = sqlStatement<{ brand_id: number; card_id: string }, { comments_count: number }>(
  `with n as (
     select count(*)::int as comments_count, max(created_at) as last_at
     from boards.comments where brand_id = $1 and card_id = $2
   )
   update boards.cards c set comments_count = n.comments_count, last_commented_at = n.last_at
   from n where c.brand_id = $1 and c.id = $2 returning n.comments_count`,
  'brand_id',
  'card_id',
)
const addOne = sqlStatement<{ brand_id: number; card_id: string; at: string }, unknown>(
  `update boards.cards set comments_count = comments_count + 1, last_commented_at = $3
   where brand_id = $1 and id = $2`,
  'brand_id',
  'card_id',
  'at',
)

export const listComments = (ctx: BrandCtx, at: { card_id: string; limit: number; offset: number }) =>
  ctx.db.all(list, { brand_id: ctx.brandId, ...at })
export const findComment = (ctx: BrandCtx, id: string) => ctx.db.first(find, { brand_id: ctx.brandId, id })
export async function insertComment(
  ctx: BrandTx,
  comment: { card_id: string; parent_id: string | null; body: string; author: Actor },
): Promise<CommentRow | undefined> {
  const author = JSON.stringify(comment.author)
  try {
    return await ctx.db.first(add, { brand_id: ctx.brandId, ...comment, author })
  } catch (error) {
    if (violates(error, 'comments_parent_fkey')) throw noSuchParent()
    throw error
  }
}
export const updateComment = (ctx: BrandTx, id: string, body: string) =>
  ctx.db.first(update, { brand_id: ctx.brandId, id, body })
export const deleteComment = (ctx: BrandTx, id: string) => ctx.db.run(remove, { brand_id: ctx.brandId, id })
export const updateCommentCount = async (ctx: BrandTx, card_id: string) =>
  (await ctx.db.first(recount, { brand_id: ctx.brandId, card_id }))?.comments_count ?? 0
export const updateLastCommented = (ctx: BrandTx, card_id: string, at: string) =>
  ctx.db.run(addOne, { brand_id: ctx.brandId, card_id, at })
