import { createHash } from 'node:crypto'
import { exportLimitBytes, exportTooLarge } from '@crewhall/contracts/boards/export.ts'
import { boardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { findBoard } from '../boards/boards.store.ts'
import { nameKeyOf } from '../cards/cards.rules.ts'
import { type ColumnRow, listColumns } from '../columns/columns.store.ts'
import { boardHeading, cardSection, columnHeading, summaryLine } from './export.rules.ts'
import { listCardsAfter } from './export.store.ts'

const chunk = 1000

interface Wanted {
  readonly detail?: 'summary' | 'standard' | undefined
  readonly columns?: readonly string[] | undefined
}

interface Rendered {
  readonly bytes: Buffer
  readonly digest: string
}

/**
 * BRD-42: everything is read at one moment. BRD-45: past the limit nothing is kept any more, only counted, so
 * the refusal tells the exact size and costs no memory.
 */
export async function renderExport(ctx: BrandCtx, board_id: string, wanted: Wanted): Promise<Rendered> {
  const { detail = 'standard' } = wanted
  const limit = detail === 'summary' ? Number.POSITIVE_INFINITY : exportLimitBytes
  const page = new Pages(limit)
  await ctx.snapshot(async (ctx) => {
    const board = await findBoard(ctx, board_id)
    if (!board) throw boardNotFound()
    page.add(boardHeading(board))
    for (const column of chosen(await listColumns(ctx, board_id), wanted.columns)) {
      page.add(columnHeading(column, column.card_count))
      const line = detail === 'summary' ? summaryLine : cardSection
      for await (const card of cardsOf(ctx, board_id, column.id)) page.add(line(board.key, card))
      if (detail === 'summary' && column.card_count > 0) page.add('\n')
    }
  })
  if (page.bytes > limit) throw exportTooLarge(page.bytes)
  const bytes = Buffer.from(page.text())
  return { bytes, digest: createHash('sha256').update(bytes).digest('hex') }
}

/** BRD-44, BRD-G20: names match as in filters; one that matches nothing leaves nothing. */
function chosen(columns: readonly ColumnRow[], names: readonly string[] | undefined): readonly ColumnRow[] {
  if (!names) return columns
  const keys = new Set(names.map(nameKeyOf))
  return columns.filter(({ name_key }) => keys.has(name_key))
}

async function* cardsOf(ctx: BrandCtx, board_id: string, column_id: string) {
  let rank = ''
  for (;;) {
    const rows = await listCardsAfter(ctx, { board_id, column_id, rank, limit: chunk })
    yield* rows
    rank = rows.at(-1)?.rank ?? ''
    if (rows.length < chunk) return
  }
}

class Pages {
  bytes = 0
  readonly #limit: number
  readonly #parts: string[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  add(text: string): void {
    this.bytes += Buffer.byteLength(text)
    if (this.bytes <= this.#limit) this.#parts.push(text)
  }

  text(): string {
    return this.#parts.join('')
  }
}
