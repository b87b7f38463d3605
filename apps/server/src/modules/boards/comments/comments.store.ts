import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import { noSuchParent } from '@crewhall/contracts/boards/comments.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { violates } from '#platform/db/pg-errors.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'
import type { Sized } from '../batches.rules.ts'

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
type One = { id: string }

const list = brandStatement<{ card_id: string; limit: number; offset: number }, Sized>(
  (p) => sql`select id, octet_length(body) as bytes from boards.comments
   where brand_id = ${p.brand_id} and card_id = ${p.card_id}
   order by created_at, id limit ${p.limit} offset ${p.offset}`,
)
const some = brandStatement<{ ids: readonly string[] }, CommentRow>(
  (p) => sql`select ${columns} from boards.comments
   where brand_id = ${p.brand_id} and id = any(${p.ids}::uuid[]) order by created_at, id`,
)
const find = brandStatement<One, CommentRow>(
  (p) => sql`select ${columns} from boards.comments where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const add = brandStatement<
  { card_id: string; parent_id: string | null; body: string; author: string },
  CommentRow
>(
  (p) => sql`insert into boards.comments (brand_id, card_id, parent_id, body, author)
   values (${p.brand_id}, ${p.card_id}, ${p.parent_id}, ${p.body}, ${p.author}::jsonb) returning ${columns}`,
)
const update = brandStatement<One & { body: string }, CommentRow>(
  (p) => sql`update boards.comments set body = ${p.body}, edited_at = platform.clock_now()
   where brand_id = ${p.brand_id} and id = ${p.id} returning ${columns}`,
)
const remove = brandStatement<One, unknown>(
  (p) => sql`delete from boards.comments where brand_id = ${p.brand_id} and id = ${p.id}`,
)
// Replies are removed with their comment, so the number is recounted.
const recount = brandStatement<{ card_id: string }, { comments_count: number }>(
  (p) => sql`with n as (
     select count(*)::int as comments_count, max(created_at) as last_at
     from boards.comments where brand_id = ${p.brand_id} and card_id = ${p.card_id}
   )
   update boards.cards c set comments_count = n.comments_count, last_commented_at = n.last_at
   from n where c.brand_id = ${p.brand_id} and c.id = ${p.card_id} returning n.comments_count`,
)
const addOne = brandStatement<{ card_id: string; at: string }, unknown>(
  (p) => sql`update boards.cards set comments_count = comments_count + 1, last_commented_at = ${p.at}
   where brand_id = ${p.brand_id} and id = ${p.card_id}`,
)

export const listSizedComments = (ctx: BrandCtx, at: { card_id: string; limit: number; offset: number }) =>
  ctx.db.all(list, { ...at })
export const listComments = (ctx: BrandCtx, ids: readonly string[]) => ctx.db.all(some, { ids })
export const findComment = (ctx: BrandCtx, id: string) => ctx.db.first(find, { id })
export async function insertComment(
  ctx: BrandTx,
  comment: { card_id: string; parent_id: string | null; body: string; author: Actor },
): Promise<CommentRow | undefined> {
  const author = JSON.stringify(comment.author)
  try {
    return await ctx.db.first(add, { ...comment, author })
  } catch (error) {
    if (violates(error, 'comments_parent_fkey')) throw noSuchParent()
    throw error
  }
}
export const updateComment = (ctx: BrandTx, id: string, body: string) => ctx.db.first(update, { id, body })
export const deleteComment = (ctx: BrandTx, id: string) => ctx.db.run(remove, { id })
export const updateCommentCount = async (ctx: BrandTx, card_id: string) =>
  (await ctx.db.first(recount, { card_id }))?.comments_count ?? 0
export const updateLastCommented = (ctx: BrandTx, card_id: string, at: string) =>
  ctx.db.run(addOne, { card_id, at })
