import { boardNotFound, cardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import type { SharedBoard, SharedBoardSummary } from '@crewhall/contracts/boards/shared.ts'
import type {
  GuestCardChange,
  GuestNewCard,
  SharedCard,
  SharedComment,
  SharedListedCard,
} from '@crewhall/contracts/boards/shared-cards.ts'
import { notAuthenticated } from '@crewhall/contracts/identity/refusals.ts'
import type { RefusalKind } from '@crewhall/contracts/refusal.ts'
import type { Paging } from '@crewhall/contracts/wire.ts'
import { commenterRequired, editorRequired, type GuestRole } from '@crewhall/contracts/workspaces/guests.ts'
import type { PersonActor } from '#platform/ctx/actor.ts'
import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import type { LongList } from '#platform/http/list-answer.ts'
import { presentColumn } from '../boards/boards.present.ts'
import { lockBoards } from '../boards/boards.store.ts'
import { addCard } from '../cards/add-card.service.ts'
import * as cards from '../cards/cards.service.ts'
import { findBoardOfCard } from '../cards/cards.store.ts'
import { listColumns } from '../columns/columns.store.ts'
import * as comments from '../comments/comments.service.ts'
import { findGuest } from '../guests/board-guests.store.ts'
import { listBoardsOfWaiting } from '../relations/waiting.store.ts'
import { presentComment, presentListed, presentShared } from './shared.present.ts'
import * as store from './shared.store.ts'

/** Before every id that there is. */
const fromStart = '00000000-0000-0000-0000-000000000000'

interface Place {
  readonly board_id: string
  readonly task_id: string
}

export async function listSharedWith(
  ctx: SystemCtx,
  { after = fromStart, limit }: { after?: string | undefined; limit: number },
): Promise<{ boards: SharedBoardSummary[]; next_after: string | null }> {
  const { person_id, is_verified } = callerOf(ctx)
  const rows = is_verified ? await store.listShared(ctx, { person_id, after, limit: limit + 1 }) : []
  const boards = rows.slice(0, limit)
  return { boards, next_after: rows.length > limit ? (boards.at(-1)?.id ?? null) : null }
}

export async function getSharedBoard(ctx: SystemCtx, board_id: string): Promise<SharedBoard> {
  const { board, inside } = await enter(ctx, board_id, boardNotFound)
  return { ...board, columns: (await listColumns(inside, board_id)).map(presentColumn) }
}

export async function listCardsForGuest(
  ctx: SystemCtx,
  board_id: string,
  query: Paging & { readonly detail: 'summary' | 'standard' },
) {
  const { inside } = await enter(ctx, board_id, boardNotFound)
  const { items, ...page } = await cards.listCardPage(inside, board_id, query)
  return { items: items.map(presentListed), ...page }
}

export async function listFullCardsForGuest(
  ctx: SystemCtx,
  board_id: string,
  pages: Paging,
): Promise<LongList<SharedListedCard>> {
  const { inside } = await enter(ctx, board_id, boardNotFound)
  return presented(await cards.listFullPage(inside, board_id, pages), presentListed)
}

export async function getCardForGuest(ctx: SystemCtx, { board_id, task_id }: Place): Promise<SharedCard> {
  const { inside } = await enter(ctx, board_id, cardNotFound)
  const card = await cards.getCard(inside, task_id)
  if (card.board_id !== board_id) throw cardNotFound()
  return presentShared(card)
}

export async function listCommentsForGuest(
  ctx: SystemCtx,
  { board_id, task_id }: Place,
  pages: Paging,
): Promise<LongList<SharedComment>> {
  const { inside } = await enter(ctx, board_id, cardNotFound)
  await refuseOtherBoard(inside, { board_id, task_id })
  return presented(await comments.listCommentPage(inside, task_id, pages), presentComment)
}

function presented<Row, Item>({ head, batches }: LongList<Row>, present: (row: Row) => Item): LongList<Item> {
  async function* read() {
    for await (const rows of batches) yield rows.map(present)
  }
  return { head, batches: read() }
}

export const addCardAsGuest = (ctx: SystemCtx, board_id: string, order: GuestNewCard): Promise<SharedCard> =>
  writing(ctx, { board_id, absent: boardNotFound, needs: ['editor'] }, async (ctx) =>
    presentShared((await addCard(ctx, board_id, order)).card),
  )

export const changeCardAsGuest = (
  ctx: SystemCtx,
  place: Place,
  change: GuestCardChange,
  versions?: readonly number[] | undefined,
): Promise<SharedCard> =>
  writing(ctx, { ...place, absent: cardNotFound, needs: ['editor'] }, async (ctx) => {
    await refuseOtherBoard(ctx, place)
    return presentShared((await cards.changeCard(ctx, place.task_id, change, versions)).card)
  })

export const commentAsGuest = (
  ctx: SystemCtx,
  place: Place,
  comment: { readonly body: string; readonly parent_id?: string | undefined },
): Promise<SharedComment> => {
  const right = { board_id: place.board_id, absent: cardNotFound, needs: ['commenter', 'editor'] } as const
  return writing(ctx, right, async (ctx) => {
    await refuseOtherBoard(ctx, place)
    return presentComment(await comments.addComment(ctx, place.task_id, comment))
  })
}

/**
 * What is not shared with the caller and what does not exist are one answer from one query. So is what was shared
 * with an address that the caller has not proven to be theirs (S1).
 */
async function enter(ctx: SystemCtx, board_id: string, absent: RefusalKind) {
  const caller = callerOf(ctx)
  const board = await store.findShared(ctx, caller.person_id, board_id)
  if (!board || !caller.is_verified) throw absent()
  // A role that the session has in a workspace of its own means nothing here.
  const actor = { ...caller, brand_id: null, role: null }
  return { board, inside: ctx.forBrand(board.brand_id, { actor }) }
}

interface Right {
  readonly board_id: string
  /** The card that is changed, if one is. */
  readonly task_id?: string
  readonly absent: RefusalKind
  readonly needs: readonly GuestRole[]
}

/**
 * Roles change only under the lock of their board, and every write takes it too: what the guest may do when the
 * lock is had, they may until the end of the write.
 */
async function writing<T>(
  ctx: SystemCtx,
  { board_id, task_id, absent, needs }: Right,
  work: (ctx: BrandTx) => Promise<T>,
): Promise<T> {
  const { person_id } = callerOf(ctx)
  const { inside } = await enter(ctx, board_id, absent)
  return inside.tx(async (ctx) => {
    // A change may end what others wait for, so the boards of those are locked with this one.
    const waiting = task_id === undefined ? [] : await listBoardsOfWaiting(ctx, [task_id])
    await lockBoards(ctx, [board_id, ...waiting])
    const guest = await findGuest(ctx, { board_id, person_id })
    if (!guest) throw absent()
    if (!needs.includes(guest.role))
      throw needs.includes('commenter') ? commenterRequired() : editorRequired()
    return work(ctx)
  })
}

/** A card of another board is missing here, also where the guest could open that one. */
async function refuseOtherBoard(ctx: BrandCtx, { board_id, task_id }: Place): Promise<void> {
  if ((await findBoardOfCard(ctx, task_id)) !== board_id) throw cardNotFound()
}

function callerOf({ actor }: SystemCtx): PersonActor {
  if (actor.kind !== 'person') throw notAuthenticated()
  return actor
}
