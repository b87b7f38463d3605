import type { FullCard, SummaryCard } from '@crewhall/contracts/boards/card-fields.ts'
import {
  type CardFacets,
  maxFound,
  noSuchCycle,
  noSuchParentCard,
  type Sort,
  tooManyFound,
} from '@crewhall/contracts/boards/filters.ts'
import { boardNotFound, boardOfOther, boardsOfOther } from '@crewhall/contracts/boards/refusals.ts'
import type { FoundCard } from '@crewhall/contracts/boards/search.ts'
import { foldName } from '@crewhall/contracts/folding.ts'
import type { Paging } from '@crewhall/contracts/wire.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import type { LongList } from '#platform/http/list-answer.ts'
import * as boardStore from '../boards/boards.store.ts'
import { areBoards } from '../boards/known-boards.service.ts'
import { presentStandard, presentSummary } from '../card-data/cards.present.ts'
import { findBoardOfCard } from '../card-data/cards.store.ts'
import { readFullCards } from '../cards/full-cards.service.ts'
import { findCardId } from '../cards/task-ids.service.ts'
import { findCycle } from '../cycles/cycles.store.ts'
import { boardActorOf } from '../writes/board-actor.ts'
import {
  askedBy,
  type Facts,
  type FindQuery,
  factsOf,
  hasFacts,
  queryOf,
  queryOfCards,
  swapsOf,
} from './find.rules.ts'
import * as store from './find.store.ts'
import * as rows from './found-cards.store.ts'

export { type FindQuery, isFinding } from './find.rules.ts'

/** Where to look, besides what the query says of cards. */
export interface Scope {
  readonly board_ids?: readonly string[] | undefined
  readonly board_type?: string | undefined
  readonly column_names?: readonly string[] | undefined
  readonly status?: string | undefined
  readonly since?: string | undefined
}

export interface Found {
  readonly ids: readonly string[]
  readonly total: number
  readonly facets?: CardFacets
}

interface Slice {
  readonly limit: number
  readonly offset: number
  /** Without `q`. */
  readonly sort: Sort
  readonly with_archived_boards?: boolean
}

/** The ids of the cards of one page, in order. Who may see the boards is for the caller to know. */
export async function findCards(ctx: BrandCtx, scope: Scope, query: FindQuery, slice: Slice): Promise<Found> {
  const facts: Facts = {
    ...factsOf(query, namesOf(ctx)),
    board: scope.board_ids,
    parent: query.parent === undefined ? undefined : [await parentOf(ctx, query.parent)],
    cycle: query.cycle === undefined ? undefined : [await cycleOf(ctx, query.cycle)],
  }
  const wanted: store.Wanted = {
    board_ids: scope.board_ids ?? null,
    with_archived_boards: slice.with_archived_boards ?? false,
    board_type: scope.board_type ?? null,
    name_keys: scope.column_names?.map(foldName) ?? null,
    status: scope.status ?? null,
    since: scope.since ?? null,
    due_before: query.due_before ?? null,
    due_after: query.due_after ?? null,
    blocked: query.blocked ?? null,
    claimed: query.claimed ?? null,
    sort: query.sort ?? (query.q === undefined ? slice.sort : 'relevance'),
    count_by: query.count_by ?? [],
    limit: slice.limit,
    offset: slice.offset,
  }
  const { ids, total, facets } =
    query.q === undefined ? await filter(ctx, wanted, facts) : await search(ctx, wanted, facts, query.q)
  return { ids, total, ...(query.count_by === undefined ? {} : { facets }) }
}

async function filter(ctx: BrandCtx, wanted: store.Wanted, facts: Facts): Promise<store.FoundRow> {
  const found = hasFacts(facts)
    ? await store.findByMarks(ctx, { ...wanted, marks: queryOfCards(ctx.brandId, facts) })
    : await store.findByConditions(ctx, wanted)
  if (found.looked_at > maxFound) throw tooManyFound()
  return found
}

/** All of the words; if no card has them, those that come near. */
async function search(ctx: BrandCtx, wanted: store.Wanted, facts: Facts, q: string): Promise<store.FoundRow> {
  const { words, is_open, ref } = askedBy(q)
  const marks = queryOfCards(ctx.brandId, facts)
  const found = await store.findByWords(ctx, {
    ...wanted,
    marks,
    comment_marks: queryOf(ctx.brandId, { board: facts.board }),
    words,
    is_open,
    key: ref?.key ?? null,
    number: ref?.number ?? null,
  })
  if (found.looked_at > 0) return found
  return ctx.tx(async (ctx) => {
    await store.updateForgiveness(ctx)
    return store.findLoosely(ctx, { ...wanted, marks, words, is_open, swaps: words.map(swapsOf) })
  })
}

/** The names by which cards know the caller: agents have the id of their token, and one of their own. */
function namesOf(ctx: BrandCtx): string[] {
  const { kind, id, agent_id } = boardActorOf(ctx.actor)
  return [`${kind}:${id}`, ...(agent_id === undefined ? [] : [`agent:${agent_id}`])]
}

async function parentOf(ctx: BrandCtx, task_id: string): Promise<string> {
  if (task_id === 'none') return task_id
  const id = await findCardId(ctx, task_id)
  if (id === undefined || (await findBoardOfCard(ctx, id)) === undefined) throw noSuchParentCard()
  return id
}

async function cycleOf(ctx: BrandCtx, id: string): Promise<string> {
  if (!(await findCycle(ctx, id))) throw noSuchCycle()
  return id
}

type SearchQuery = FindQuery & Scope & Paging

/** Over all boards of the workspace, or some of them. */
export async function searchCards(ctx: BrandCtx, query: SearchQuery) {
  const { page, per_page } = query
  if (query.board_ids && !(await areBoards(ctx, query.board_ids))) throw boardsOfOther()
  const slice = { limit: per_page, offset: (page - 1) * per_page, sort: '-updated' } as const
  const { ids, ...head } = await findCards(ctx, query, query, slice)
  const items: FoundCard[] = (await rows.listFoundSummaries(ctx, ids)).map((row) => ({
    ...presentSummary(row, row),
    board_id: row.board_id,
    board: row.board,
  }))
  return { items, ...head, page, per_page }
}

type ListQuery = FindQuery & { readonly page?: number | undefined; readonly per_page: number }

async function findOnBoard(ctx: BrandCtx, board_id: string, { page = 1, per_page, ...query }: ListQuery) {
  const board = await boardStore.findBoard(ctx, board_id)
  if (!board) throw (await boardStore.hasBoardAnywhere(ctx, board_id)) ? boardOfOther() : boardNotFound()
  const at = {
    limit: per_page,
    offset: (page - 1) * per_page,
    sort: 'place',
    with_archived_boards: true,
  } as const
  const { ids, ...head } = await findCards(ctx, { board_ids: [board_id] }, query, at)
  return { board, ids, head: { ...head, page, per_page } }
}

export async function listFoundCards(
  ctx: BrandCtx,
  board_id: string,
  { detail, ...query }: ListQuery & { readonly detail: 'summary' | 'standard' },
) {
  const { board, ids, head } = await findOnBoard(ctx, board_id, query)
  const items: SummaryCard[] =
    detail === 'summary'
      ? (await rows.listFoundSummaries(ctx, ids)).map((row) => presentSummary(board, row))
      : (await rows.listFoundStandard(ctx, ids)).map((row) => presentStandard(board, row))
  return { items, ...head }
}

export async function listFoundFull(
  ctx: BrandCtx,
  board_id: string,
  query: ListQuery,
): Promise<LongList<FullCard>> {
  const { board, ids, head } = await findOnBoard(ctx, board_id, query)
  return { head, batches: readFullCards(ctx, board, await rows.listFoundSizes(ctx, ids)) }
}
