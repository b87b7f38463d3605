import { fileLimitBytes, fileTooLarge } from '@crewhall/contracts/boards/export.ts'
import { boardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import type { Sink } from '#platform/http/spooled-file.ts'
import { batchesOf } from '../batches.rules.ts'
import { type BoardRow, findBoard } from '../boards/boards.store.ts'
import { type ColumnRow, listColumns } from '../boards/columns.store.ts'
import { presentFull } from '../card-data/cards.present.ts'
import { listFullCards } from '../card-data/cards.store.ts'
import { presentItem } from '../checklists/checklists.service.ts'
import { presentComment } from '../comments/comments.service.ts'
import type { CommentRow } from '../comments/comments.store.ts'
import { presentRelation } from '../relations/relations.service.ts'
import { csvHeader, csvLine } from './csv.rules.ts'
import { chosen, chunk, walk } from './export.service.ts'
import * as store from './file.store.ts'

interface FileQuery {
  readonly format: 'csv' | 'jsonl'
  readonly columns?: readonly string[] | undefined
}

/** Comments of one card that are read together; each can have 64 KiB. */
const commentPage = 100

/** One line for each card, from one snapshot. Returns the key of the board, which the file is named after. */
export const writeFile = (ctx: BrandCtx, board_id: string, wanted: FileQuery, sink: Sink): Promise<string> =>
  ctx.snapshot(
    async (ctx) => {
      const board = await findBoard(ctx, board_id)
      if (!board) throw boardNotFound()
      const out = bounded(sink)
      if (wanted.format === 'csv') out.add(csvHeader)
      for (const column of chosen(await listColumns(ctx, board_id), wanted.columns)) {
        if (wanted.format === 'csv') await addRows(ctx, board, column, out)
        else await addLines(ctx, board, column, out)
      }
      return board.key
    },
    { is_long: true },
  )

/** Refuses as soon as the file is too long: its disk is everybody's. */
function bounded(sink: Sink): Sink {
  let bytes = 0
  return {
    add: (text) => {
      bytes += Buffer.byteLength(text)
      if (bytes > fileLimitBytes) throw fileTooLarge()
      sink.add(text)
    },
    flush: () => sink.flush(),
  }
}

async function addRows(ctx: BrandCtx, { id: board_id, key }: BoardRow, column: ColumnRow, out: Sink) {
  const at = { board_id, column_id: column.id, limit: chunk }
  for await (const rows of walk((rank) => store.listCsvCardsAfter(ctx, { ...at, rank }))) {
    for (const row of rows) out.add(csvLine(row, { key, column: column.name }))
    await out.flush()
  }
}

async function addLines(ctx: BrandCtx, board: BoardRow, column: ColumnRow, out: Sink) {
  const at = { board_id: board.id, column_id: column.id, limit: chunk }
  for await (const places of walk((rank) => store.listPlacesAfter(ctx, { ...at, rank })))
    for (const ids of batchesOf(places)) await addBatch(ctx, board, ids, out)
}

async function addBatch(ctx: BrandCtx, board: BoardRow, ids: readonly string[], out: Sink) {
  const cards = await listFullCards(ctx, ids)
  const items = Map.groupBy(await store.listItemsOf(ctx, ids), ({ card_id }) => card_id)
  const relations = Map.groupBy(await store.listRelationsOf(ctx, ids), ({ card_id }) => card_id)
  const comments = Map.groupBy(await store.listFirstComments(ctx, ids), ({ card_id }) => card_id)
  for (const row of cards) {
    const card = {
      ...presentFull(board, row),
      checklist: (items.get(row.id) ?? []).map(presentItem),
      relations: (relations.get(row.id) ?? []).map(presentRelation),
    }
    out.add(`${JSON.stringify(card).slice(0, -1)},"comments":[`)
    await addComments(ctx, comments.get(row.id) ?? [], out)
    out.add(']}\n')
  }
  await out.flush()
}

/** There may be any number of them, so no more than a page is held. */
async function addComments(ctx: BrandCtx, first: readonly CommentRow[], out: Sink) {
  let page = first
  for (let size = store.firstComments, comma = ''; ; size = commentPage) {
    for (const comment of page) {
      out.add(`${comma}${JSON.stringify(presentComment(comment))}`)
      comma = ','
    }
    const last = page.at(-1)
    if (!last || page.length < size) return
    await out.flush()
    const { card_id, created_at, id } = last
    page = await store.listCommentsAfter(ctx, { card_id, created_at, id, limit: commentPage })
  }
}
