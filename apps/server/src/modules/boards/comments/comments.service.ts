import { type Comment, commentNotFound, notTheAuthor } from '@crewhall/contracts/boards/comments.ts'
import { cardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import type { Paging } from '@crewhall/contracts/wire.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import type { LongList } from '#platform/http/list-answer.ts'
import { batchesOf, type Sized } from '../batches.rules.ts'
import { type FullRow, findCard } from '../card-data/cards.store.ts'
import { withCard } from '../cards/locked-card.service.ts'
import { tellMentioned } from '../telling/tell-mentioned.service.ts'
import { joinCards } from '../watchers/watch.service.ts'
import { boardActorOf } from '../writes/board-actor.ts'
import { recordActivity } from '../writes/record-activity.service.ts'
import * as store from './comments.store.ts'

export async function listCommentPage(
  ctx: BrandCtx,
  card_id: string,
  { page, per_page }: Paging,
): Promise<LongList<Comment>> {
  const [card, sized] = await Promise.all([
    findCard(ctx, card_id),
    store.listSizedComments(ctx, { card_id, limit: per_page, offset: (page - 1) * per_page }),
  ])
  if (!card) throw cardNotFound()
  return { head: { total: card.comments_count, page, per_page }, batches: read(ctx, sized) }
}

async function* read(ctx: BrandCtx, sized: readonly Sized[]): AsyncGenerator<Comment[]> {
  for (const ids of batchesOf(sized)) yield (await store.listComments(ctx, ids)).map(presentComment)
}

export const addComment = (
  ctx: BrandCtx,
  card_id: string,
  { body, parent_id = null }: { body: string; parent_id?: string | null | undefined },
): Promise<Comment> =>
  withCard(ctx, card_id, async (ctx, { board }) => {
    const author = boardActorOf(ctx.actor)
    const comment = await store.insertComment(ctx, { card_id, parent_id, body, author })
    if (!comment) throw cardNotFound()
    await store.updateLastCommented(ctx, card_id, comment.created_at)
    const data = { comment_id: comment.id }
    const mentions = await tellMentioned(ctx, card_id, { before: '', after: body, by: author })
    if (author.kind === 'member') await joinCards(ctx, [{ card_id, person_id: Number(author.id) }])
    const entry = { board_id: board.id, action: 'task.commented', card_id, actor: author }
    await recordActivity(ctx, { ...entry, data, mentions })
    return presentComment(comment)
  })

export const changeComment = (ctx: BrandCtx, id: string, body: string): Promise<Comment> =>
  withComment(ctx, id, async (ctx, comment) => {
    if (!isAuthor(ctx, comment)) throw notTheAuthor()
    const changed = await store.updateComment(ctx, id, body)
    if (!changed) throw commentNotFound()
    const by = boardActorOf(ctx.actor)
    await tellMentioned(ctx, comment.card_id, { before: comment.body, after: body, by })
    return presentComment(changed)
  })

export const removeComment = (ctx: BrandCtx, id: string): Promise<{ removed: number }> =>
  withComment(ctx, id, async (ctx, comment, card) => {
    const isAdmin = ctx.actor.kind === 'person' && ctx.actor.role === 'admin'
    if (!isAuthor(ctx, comment) && !isAdmin) throw notTheAuthor()
    await store.deleteComment(ctx, id)
    return { removed: card.comments_count - (await store.updateCommentCount(ctx, comment.card_id)) }
  })

const isAuthor = (ctx: BrandTx, { author }: store.CommentRow): boolean => {
  const own = boardActorOf(ctx.actor)
  return own.kind === author.kind && own.id === author.id
}

async function withComment<T>(
  ctx: BrandCtx,
  id: string,
  work: (ctx: BrandTx, comment: store.CommentRow, card: FullRow) => Promise<T>,
): Promise<T> {
  const seen = await store.findComment(ctx, id)
  if (!seen) throw commentNotFound()
  return withCard(ctx, seen.card_id, async (ctx, { card }) => {
    const comment = await store.findComment(ctx, id)
    if (!comment) throw commentNotFound()
    return work(ctx, comment, card)
  })
}

export function presentComment(row: store.CommentRow): Comment {
  const { id, card_id, parent_id, body, author, created_at, edited_at } = row
  return { id, task_id: card_id, parent_id, body, author, created_at, edited_at }
}
