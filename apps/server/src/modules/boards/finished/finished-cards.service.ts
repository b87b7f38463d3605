import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { isOutside } from '../card-data/cards.rules.ts'
import * as store from './finished-cards.store.ts'

/** What is said and reported within this time after the finish still belongs to it. */
export const settleSeconds = 300
/** Index entries that one page walks over. */
const walkedPerPage = 2000
// Longer texts are dumps; no reader of theirs needs more of them.
const runsOfCard = { limit: 20, characters: 16_384 }
const commentsOfCard = { walked: 1000, limit: 100, characters: 16_384 }
const resultCharacters = 16_384

export type FinishedPlace = store.FinishedPlace
export type AuthorKind = Actor['kind']

/** Before everything. */
const beginning: FinishedPlace = {
  completed_at: '0001-01-01T00:00:00Z',
  id: '00000000-0000-0000-0000-000000000000',
}

export interface FinishedQuery {
  /** The last card that was read, or where the last page ended. */
  readonly after: FinishedPlace | undefined
  /** All boards of the workspace when undefined. Those that are archived or not its own have no cards here. */
  readonly board_ids: readonly string[] | undefined
  readonly limit: number
}
export interface FinishedPage {
  readonly cards: readonly FinishedPlace[]
  /** Where the next page begins; undefined when there is nothing new at all. */
  readonly next: FinishedPlace | undefined
  /** Whether there may be more at once. */
  readonly has_more: boolean
}

/**
 * Cards that are done, in the order in which they were. One that was opened again and done again comes again. None is
 * left out because its transaction took long: see `findHorizon`, which is asked first, in a statement of its own.
 */
export async function listFinishedCards(
  ctx: BrandCtx,
  { after = beginning, board_ids, limit }: FinishedQuery,
  settle_seconds = settleSeconds,
): Promise<FinishedPage> {
  const until = await store.findHorizon(ctx, settle_seconds)
  if (until === undefined) throw new Error('the database told no time')
  return pageOf(
    await store.listFinished(ctx, {
      ...after,
      until,
      board_ids: board_ids ?? null,
      walked: walkedPerPage,
      limit,
    }),
  )
}

function pageOf(rows: readonly store.WalkedRow[]): FinishedPage {
  const cards = rows
    .filter(({ is_wanted }) => is_wanted)
    .map(({ completed_at, id }) => ({ completed_at, id }))
  const last = rows.at(-1)
  return {
    cards,
    next: last && { completed_at: last.completed_at, id: last.id },
    has_more: last?.has_more ?? false,
  }
}

export interface FinishedCard {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly result: string
  /** Who wrote title and description. */
  readonly asked_by: AuthorKind
  readonly created_at: string
  readonly completed_at: string
  /** The newest ones that have ended, oldest first. */
  readonly runs: readonly FinishedRun[]
  /** The newest ones, oldest first. */
  readonly comments: readonly FinishedComment[]
}
export interface FinishedRun extends Omit<store.RunRow, 'started_by'> {
  readonly started_by: AuthorKind
}
export interface FinishedComment extends Omit<store.CommentRow, 'author'> {
  readonly author: AuthorKind
}

/** As it is now; undefined when it is no longer done, was archived, or its board was. */
export const findFinishedCard = (ctx: BrandCtx, id: string): Promise<FinishedCard | undefined> =>
  ctx.snapshot(async (ctx) => {
    const card = await store.findFinished(ctx, id, resultCharacters)
    if (!card) return undefined
    const { source, created_by, runs_count, comments_count, ...rest } = card
    const runs = runs_count > 0 ? await store.listRunsOfFinished(ctx, { id, ...runsOfCard }) : []
    const comments =
      comments_count > 0 ? await store.listCommentsOfFinished(ctx, { id, ...commentsOfCard }) : []
    return {
      ...rest,
      asked_by: askedBy(source, created_by.kind),
      runs: runs.map((run) => ({ ...run, started_by: run.started_by.kind })),
      comments: comments.map((comment) => ({ ...comment, author: comment.author.kind })),
    }
  })

/** Decision 0022: one word of a guest makes them the guest's, and a member who rewrites all makes them the member's. */
function askedBy(source: store.FinishedRow['source'], created_by: AuthorKind): AuthorKind {
  if (isOutside(source)) return 'guest'
  return created_by === 'guest' ? 'member' : created_by
}
