import { boardNotFound, cardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import type { SharedBoard, SharedBoardSummary } from '@crewhall/contracts/boards/shared.ts'
import type {
  GuestCardChange,
  GuestNewCard,
  SharedCard,
  SharedComment,
  SharedListedCard,
} from '@crewhall/contracts/boards/shared-cards.ts'
import type { RefusalKind } from '@crewhall/contracts/refusal.ts'
import type { Paging } from '@crewhall/contracts/wire.ts'
import { createSharedWithMe } from '#modules/workspaces'
import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import type { LongList } from '#platform/http/list-answer.ts'
import { presentColumn } from '../boards/boards.present.ts'
import { lockBoards } from '../boards/boards.store.ts'
import { listColumns } from '../boards/columns.store.ts'
import { findBoardOfCard } from '../card-data/cards.store.ts'
import { addCard } from '../cards/add-card.service.ts'
import * as cards from '../cards/cards.service.ts'
import { cardIdOf, findCardId } from '../cards/task-ids.service.ts'
import * as comments from '../comments/comments.service.ts'
import { type FindQuery, isFinding, listFoundCards, listFoundFull } from '../find/find.service.ts'
import { boardSharing } from '../guests/board-guests.service.ts'
import { listBoardsOfWaiting } from '../relations/waiting.store.ts'
import { presentComment, presentListed, presentShared } from './shared.present.ts'
import { sharedColumns } from './shared.store.ts'

export const sharedWithMe = createSharedWithMe<SharedBoardSummary>(boardSharing, sharedColumns)

export interface CardRef {
  readonly board_id: string
  readonly task_id: string
}

export async function listSharedWith(
  ctx: SystemCtx,
  query: { after?: string | undefined; limit: number },
): Promise<{ boards: SharedBoardSummary[]; next_after: string | null }> {
  const { page, next_after } = await sharedWithMe.list(ctx, query)
  return { boards: page, next_after }
}

export async function getSharedBoard(ctx: SystemCtx, board_id: string): Promise<SharedBoard> {
  const { shared, inside } = await sharedWithMe.enter(ctx, board_id, boardNotFound)
  return { ...shared, columns: (await listColumns(inside, board_id)).map(presentColumn) }
}

export async function listCardsForGuest(
  ctx: SystemCtx,
  board_id: string,
  query: Paging & FindQuery & { readonly detail: 'summary' | 'standard' },
) {
  const { inside } = await sharedWithMe.enter(ctx, board_id, boardNotFound)
  const { items, ...page } = isFinding(query)
    ? await listFoundCards(inside, board_id, query)
    : await cards.listCardPage(inside, board_id, query)
  return { items: items.map(presentListed), ...page }
}

export async function listFullCardsForGuest(
  ctx: SystemCtx,
  board_id: string,
  query: Paging & FindQuery,
): Promise<LongList<SharedListedCard>> {
  const { inside } = await sharedWithMe.enter(ctx, board_id, boardNotFound)
  const found = isFinding(query)
    ? await listFoundFull(inside, board_id, query)
    : await cards.listFullPage(inside, board_id, query)
  return presented(found, presentListed)
}

export async function getCardForGuest(ctx: SystemCtx, { board_id, task_id }: CardRef): Promise<SharedCard> {
  const { inside } = await sharedWithMe.enter(ctx, board_id, cardNotFound)
  const card = await cards.getCard(inside, await cardIdOf(inside, task_id))
  if (card.board_id !== board_id) throw cardNotFound()
  return presentShared(card)
}

export async function listCommentsForGuest(
  ctx: SystemCtx,
  { board_id, task_id }: CardRef,
  pages: Paging,
): Promise<LongList<SharedComment>> {
  const { inside } = await sharedWithMe.enter(ctx, board_id, cardNotFound)
  const id = await cardOnBoard(inside, { board_id, task_id })
  return presented(await comments.listCommentPage(inside, id, pages), presentComment)
}

function presented<Row, Item>({ head, batches }: LongList<Row>, present: (row: Row) => Item): LongList<Item> {
  async function* read() {
    for await (const rows of batches) yield rows.map(present)
  }
  return { head, batches: read() }
}

export const addCardAsGuest = (ctx: SystemCtx, board_id: string, order: GuestNewCard): Promise<SharedCard> =>
  writing(ctx, { board_id, absent: boardNotFound, role: 'editor' }, async (ctx) =>
    presentShared((await addCard(ctx, board_id, order)).card),
  )

export const changeCardAsGuest = (
  ctx: SystemCtx,
  place: CardRef,
  change: GuestCardChange,
  versions?: readonly number[] | undefined,
): Promise<SharedCard> =>
  writing(ctx, { ...place, absent: cardNotFound, role: 'editor' }, async (ctx) => {
    const id = await cardOnBoard(ctx, place)
    return presentShared((await cards.changeCard(ctx, id, change, versions)).card)
  })

export const commentAsGuest = (
  ctx: SystemCtx,
  place: CardRef,
  comment: { readonly body: string; readonly parent_id?: string | undefined },
): Promise<SharedComment> => {
  const right = { board_id: place.board_id, absent: cardNotFound, role: 'commenter' } as const
  return writing(ctx, right, async (ctx) => {
    return presentComment(await comments.addComment(ctx, await cardOnBoard(ctx, place), comment))
  })
}

interface Right {
  readonly board_id: string
  /** The card that is changed, if one is. */
  readonly task_id?: string
  readonly absent: RefusalKind
  readonly role: 'commenter' | 'editor'
}

/** Roles change only under the lock of their board, so the role is checked under it and holds until the commit. */
export async function writing<T>(
  ctx: SystemCtx,
  { board_id, task_id, absent, role }: Right,
  work: (ctx: BrandTx) => Promise<T>,
): Promise<T> {
  const { inside } = await sharedWithMe.enter(ctx, board_id, absent)
  return inside.tx(async (ctx) => {
    // A change may end what others wait for, so the boards of those are locked with this one.
    const id = task_id === undefined ? undefined : await findCardId(ctx, task_id)
    const waiting = id === undefined ? [] : await listBoardsOfWaiting(ctx, [id])
    await lockBoards(ctx, [board_id, ...waiting])
    await sharedWithMe.requireRole(ctx, board_id, { role, absent })
    return work(ctx)
  })
}

/** Its id. A card of another board is missing here, also where the guest could open that one. */
export async function cardOnBoard(ctx: BrandCtx, { board_id, task_id }: CardRef): Promise<string> {
  const id = await cardIdOf(ctx, task_id)
  if ((await findBoardOfCard(ctx, id)) !== board_id) throw cardNotFound()
  return id
}
