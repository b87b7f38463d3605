import { exportLimitBytes, exportTooLarge } from '@crewhall/contracts/boards/export.ts'
import { boardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import { foldName } from '@crewhall/contracts/folding.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import type { Sink } from '#platform/http/spooled-file.ts'
import { type BoardRow, findBoard } from '../boards/boards.store.ts'
import { type ColumnRow, listColumns } from '../boards/columns.store.ts'
import { boardHeading, cardSection, columnHeading, summaryLine } from './export.rules.ts'
import * as store from './export.store.ts'
import { listItemsOf } from './file.store.ts'

/** Cards that are read together. */
export const chunk = 500
/** Of them, checklists that are read together; each can have 50,000 characters. */
const checklists = 50

interface ExportQuery {
  readonly detail?: 'summary' | 'standard' | undefined
  readonly columns?: readonly string[] | undefined
}

/**
 * BRD-42: everything is read from one snapshot, and nobody waits for a slow caller. BRD-45: past the limit the rest is
 * only counted, so the refusal has the exact size and costs no memory.
 */
export async function writeExport(
  ctx: BrandCtx,
  board_id: string,
  wanted: ExportQuery,
  sink: Sink,
): Promise<void> {
  const isSummary = wanted.detail === 'summary'
  const limit = isSummary ? Number.POSITIVE_INFINITY : exportLimitBytes
  let bytes = 0
  const add = (text: string) => {
    bytes += Buffer.byteLength(text)
    if (bytes <= limit) sink.add(text)
  }
  await ctx.snapshot(
    async (ctx) => {
      const board = await findBoard(ctx, board_id)
      if (!board) throw boardNotFound()
      add(boardHeading(board))
      for (const column of chosen(await listColumns(ctx, board_id), wanted.columns)) {
        add(columnHeading(column, column.card_count))
        const at = { board_id, column_id: column.id }
        for await (const lines of isSummary ? summaries(ctx, board, at) : sections(ctx, board, at)) {
          for (const line of lines) add(line)
          await sink.flush()
        }
        if (isSummary && column.card_count > 0) add('\n')
      }
    },
    { is_long: true },
  )
  if (bytes > limit) throw exportTooLarge(bytes)
}

/** BRD-44, BRD-G20: names match as in filters; one that matches nothing leaves nothing. */
export function chosen(
  columns: readonly ColumnRow[],
  names: readonly string[] | undefined,
): readonly ColumnRow[] {
  if (!names) return columns
  const keys = new Set(names.map(foldName))
  return columns.filter(({ name_key }) => keys.has(name_key))
}

export interface ColumnRef {
  readonly board_id: string
  readonly column_id: string
}

async function* summaries(ctx: BrandCtx, { key }: BoardRow, at: ColumnRef) {
  const pages = walk((rank) => store.listSummariesAfter(ctx, { ...at, rank, limit: chunk }))
  for await (const rows of pages) yield rows.map((row) => summaryLine(key, row))
}

async function* sections(ctx: BrandCtx, { key }: BoardRow, at: ColumnRef) {
  const pages = walk((rank) => store.listCardsAfter(ctx, { ...at, rank, limit: chunk }))
  for await (const rows of pages)
    for (let at = 0; at < rows.length; at += checklists)
      yield withChecklists(ctx, key, rows.slice(at, at + checklists))
}

async function withChecklists(ctx: BrandCtx, key: string, rows: readonly store.SectionRow[]) {
  const ids = rows.flatMap(({ id, items_total }) => (items_total > 0 ? [id] : []))
  const items = Map.groupBy(ids.length > 0 ? await listItemsOf(ctx, ids) : [], ({ card_id }) => card_id)
  return rows.map((row) => cardSection(key, row, items.get(row.id) ?? []))
}

export async function* walk<Row extends { readonly rank: string }>(page: (rank: string) => Promise<Row[]>) {
  let rank = ''
  for (;;) {
    const rows = await page(rank)
    yield rows
    rank = rows.at(-1)?.rank ?? ''
    if (rows.length < chunk) return
  }
}
