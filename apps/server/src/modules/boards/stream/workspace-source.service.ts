import { type WorkspaceEvent, type WorkspaceEventType, workspaceEvents } from '@crewhall/contracts/events.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import type { CoalescedReads } from '#platform/events/coalesced-reads.ts'
import type { EventLog } from '#platform/events/event-log.ts'
import { toldOf } from './board-source.service.ts'
import type { BoardWatch } from './board-watch.service.ts'
import type { StreamRow } from './stream.store.ts'
import type { StreamEntry, StreamPage, StreamSource } from './stream-source.ts'
import * as rules from './workspace-place.rules.ts'
import * as store from './workspace-stream.store.ts'

const pageSize = 200

interface Deps {
  readonly watch: BoardWatch
  readonly reads: CoalescedReads
  readonly log: EventLog
}

/** Everything that happens in the workspace: the feeds of all its boards, and its own log. */
export async function openWorkspace(ctx: BrandCtx, { watch, reads, log }: Deps): Promise<StreamSource> {
  const { brandId } = ctx
  const [end, look] = await Promise.all([log.end(ctx), store.takeLook(ctx)])
  return {
    list: `events:${brandId}`,
    now: rules.derivePosition({ from: look, upto: null, after: null, log: end }),
    about: {},
    listen: (wake) => watch.listenToAll(brandId, wake),
    async refuses(ctx, position) {
      const { from } = rules.derivePlace(position)
      return (await store.findTrouble(ctx, from)) ?? undefined
    },
    async read(ctx, position) {
      const place = rules.derivePlace(position)
      // One snapshot for all that wake up now: from then on they have the same position and share their reads.
      const upto = place.upto ?? (await reads.read(`look ${brandId}`, () => store.takeLook(ctx)))
      const key = `events ${brandId} ${rules.derivePosition({ ...place, upto })}`
      const page = await reads.read(key, () => readPage(ctx, log, { ...place, upto }))
      // More may have happened since an earlier look.
      return place.upto ? { ...page, is_last: false } : page
    },
  }
}

async function readPage(
  ctx: BrandCtx,
  log: EventLog,
  place: rules.StreamPosition & { upto: rules.Look },
): Promise<StreamPage> {
  const [rows, events] = await Promise.all([
    readBoards(ctx, place),
    log.listAfter(ctx, { ...place.log, limit: pageSize }),
  ])
  const hasMore = rows.length === pageSize
  const merged = rules.mergeByTime<Read>(
    rows.map((row) => ({ row, created_at: row.created_at })),
    events.map((event) => ({ event, created_at: event.created_at })),
  )
  let at: rules.StreamPosition = place
  const entries = merged.map((read): StreamEntry => {
    at = 'row' in read ? { ...at, after: placeOf(read.row) } : { ...at, log: placeOf(read.event) }
    return { ...entryOf(read), position: rules.derivePosition(at) }
  })
  // Everything visible in this snapshot was sent: the next one continues from it.
  const end = hasMore ? at : { from: place.upto, upto: null, after: null, log: at.log }
  const position = rules.derivePosition(end)
  const last = entries.pop()
  if (last) entries.push({ ...last, position })
  return { entries, position, is_last: !hasMore && events.length < pageSize }
}

type Read =
  | { readonly row: StreamRow; readonly created_at: string }
  | { readonly event: WorkspaceEvent; readonly created_at: string }

const placeOf = ({ created_at, id }: { created_at: string; id: string }) => ({ created_at, id })

function entryOf(read: Read): Omit<StreamEntry, 'position'> {
  if ('row' in read) return { type: read.row.action, data: toldOf(read.row) }
  const { event } = read
  // An unknown type was written by a newer version; this one skips it.
  const spec = workspaceEvents[event.type as WorkspaceEventType]
  return { type: event.type, data: event, scope: spec?.scope ?? 'brand:admin' }
}

/** A few are sorted in one query; many are merged board by board, so that a page never costs more than it returns. */
async function readBoards(ctx: BrandCtx, { from, upto, after }: rules.StreamPosition & { upto: rules.Look }) {
  const window = { from, upto, after: after ?? rules.start, limit: pageSize }
  const { rows, is_whole } = await store.listWindow(ctx, window)
  return is_whole ? rows : store.listWindowByBoard(ctx, window)
}
