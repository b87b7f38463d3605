import { boardNotFound, boardsOfOther } from '@crewhall/contracts/boards/refusals.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import type { CoalescedReads } from '#platform/events/coalesced-reads.ts'
import { hasBoardAnywhere } from '../boards/boards.store.ts'
import { presentEntry } from '../writes/activity.present.ts'
import { hasLostActivity } from '../writes/activity.store.ts'
import type { BoardWatch } from './board-watch.service.ts'
import { deriveList, derivePlaces, derivePosition, type FeedPosition, nextPlaces } from './places.rules.ts'
import * as store from './stream.store.ts'
import type { StreamPage, StreamSource } from './stream-source.ts'

const pageSize = 100

interface Deps {
  readonly watch: BoardWatch
  readonly reads: CoalescedReads
}

/** The feeds of some boards, each with a place of its own. */
export async function openBoards(
  ctx: BrandCtx,
  { watch, reads }: Deps,
  board_ids: readonly string[],
): Promise<StreamSource> {
  const now = await findPlaces(ctx, board_ids)
  const list = deriveList(ctx.brandId, now)
  return {
    list,
    now: derivePosition(now),
    about: { board_ids },
    listen: (wake) => watch.listen(ctx.brandId, board_ids, wake),
    async refuses(ctx, position) {
      const isLost = await hasLostActivity(ctx, derivePlaces(board_ids, position))
      return isLost ? 'expired_cursor' : undefined
    },
    async read(ctx, position) {
      const places = derivePlaces(board_ids, position)
      const rows = await reads.read(`${list} ${position}`, () => readRows(ctx, places))
      return pageOf(places, rows)
    },
  }
}

/** Where the feeds of the boards end now. */
async function findPlaces(ctx: BrandCtx, board_ids: readonly string[]): Promise<FeedPosition[]> {
  const own = new Map((await store.listBoardPlaces(ctx, board_ids)).map((row) => [row.board_id, row]))
  const strange = board_ids.filter((id) => !own.has(id))
  for (const id of strange) if (await hasBoardAnywhere(ctx, id)) throw boardsOfOther()
  if (strange.length > 0) throw boardNotFound()
  return board_ids.flatMap((board_id) => own.get(board_id) ?? [])
}

const readRows = (ctx: BrandCtx, places: readonly FeedPosition[]) =>
  store.listEntriesAfter(ctx, {
    board_ids: places.map(({ board_id }) => board_id),
    created_ats: places.map(({ created_at }) => created_at),
    ids: places.map(({ id }) => id),
    limit: pageSize,
  })

function pageOf(start: readonly FeedPosition[], rows: readonly store.StreamRow[]): StreamPage {
  let places = start
  const entries = rows.map((row) => {
    places = nextPlaces(places, row)
    return { type: row.action, data: toldOf(row), position: derivePosition(places) }
  })
  return { entries, position: derivePosition(places), is_last: rows.length < pageSize }
}

/** A feed entry as streams send it. */
export const toldOf = (row: store.StreamRow) => ({ ...presentEntry(row), board_id: row.board_id })
