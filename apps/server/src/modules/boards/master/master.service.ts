import type { CardFacets } from '@crewhall/contracts/boards/filters.ts'
import { type MasterItem, maxMasterItems, tooManyCards } from '@crewhall/contracts/boards/master.ts'
import { boardsOfOther } from '@crewhall/contracts/boards/refusals.ts'
import { foldName } from '@crewhall/contracts/folding.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { areBoards } from '../boards/known-boards.service.ts'
import { type FindQuery, findCards, isFinding } from '../find/find.service.ts'
import { listFoundSummaries } from '../find/found-cards.store.ts'
import * as store from './master.store.ts'

interface Query extends FindQuery {
  readonly board_ids?: readonly string[] | undefined
  readonly board_type?: string | undefined
  readonly column_names?: readonly string[] | undefined
  readonly status?: string | undefined
  readonly since?: string | undefined
  readonly detail?: 'summary' | undefined
  readonly page?: number | undefined
  readonly per_page?: number | undefined
}

const standardPage = 50

export async function readMaster(
  ctx: BrandCtx,
  query: Query,
): Promise<{ items: MasterItem[]; total: number; facets?: CardFacets }> {
  if (isFinding(query, ['has_pr'])) return findMaster(ctx, query)
  const { board_ids } = query
  const filter: store.MasterFilter = {
    board_ids: board_ids ?? null,
    board_type: query.board_type ?? null,
    name_keys: query.column_names?.map(foldName) ?? null,
    status: query.status ?? null,
    has_pr: query.has_pr ?? null,
    since: query.since ?? null,
  }
  const isPaged = query.page !== undefined || query.per_page !== undefined
  const [areOwn, { rows, total }] = await Promise.all([
    board_ids ? areBoards(ctx, board_ids) : true,
    isPaged ? readPage(ctx, filter, query.page ?? 1, query.per_page ?? standardPage) : readAll(ctx, filter),
  ])
  // BRD-33, BRD-G12: foreign and unknown ids get the same refusal, which reveals nothing about the others.
  if (!areOwn) throw boardsOfOther()
  if (!isPaged && total > maxMasterItems) throw tooManyCards()
  return { items: rows.map((row) => present(row, query.detail)), total }
}

/** Filters beyond those of the interface are looked up in another way. */
async function findMaster(ctx: BrandCtx, query: Query) {
  if (query.board_ids && !(await areBoards(ctx, query.board_ids))) throw boardsOfOther()
  const isPaged = query.page !== undefined || query.per_page !== undefined
  const { page = 1, per_page = isPaged ? standardPage : maxMasterItems } = query
  const slice = { limit: per_page, offset: (page - 1) * per_page, sort: '-updated' } as const
  const { ids, ...head } = await findCards(ctx, query, query, slice)
  const rows = await listFoundSummaries(ctx, ids)
  return { items: rows.map((row) => present(row, query.detail)), ...head }
}

/** BRD-G14: without paging, all of them. */
async function readAll(ctx: BrandCtx, filter: store.MasterFilter) {
  const rows = await store.listAllMasterCards(ctx, filter, maxMasterItems + 1)
  return { rows, total: rows.length }
}

async function readPage(ctx: BrandCtx, filter: store.MasterFilter, page: number, per_page: number) {
  const at = { limit: per_page, offset: (page - 1) * per_page }
  const [rows, total] = await Promise.all([
    store.listMasterCards(ctx, filter, at),
    store.countMasterCards(ctx, filter),
  ])
  return { rows, total }
}

function present(row: store.MasterRow, detail: 'summary' | undefined): MasterItem {
  const { key, number, board, pr_number, branch } = row
  const column = { id: row.column_id, name: row.column_name }
  const item = { ref: `${key}-${number}`, board, column, pr_number, branch }
  if (detail === undefined) return item
  const { id, title, status, assignee, pr_state } = row
  return { ...item, id, title, status, assignee, pr_state }
}
