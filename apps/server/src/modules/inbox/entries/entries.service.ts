import {
  badSnooze,
  entryNotFound,
  type InboxKind,
  type InboxState,
  inboxKinds,
  mostCounted,
  unknownInboxCursor,
} from '@crewhall/contracts/inbox/inbox.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import type { Sweep } from '#platform/jobs/sweep.ts'
import { doneDays } from '../telling/telling.store.ts'
import { presentEntry } from './entries.present.ts'
import * as store from './entries.store.ts'

interface ListQuery {
  readonly kind?: readonly InboxKind[] | undefined
  readonly state?: readonly InboxState[] | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

export async function listOwnEntries(ctx: BrandCtx, cursors: Cursors, query: ListQuery) {
  const reader = readerOf(ctx)
  const { kind = inboxKinds, state = ['unread', 'read'], limit } = query
  const name = `inbox:${ctx.brandId}:${reader.person_id}`
  const place = query.cursor === undefined ? `infinity|${lastId}` : cursors.read(name, query.cursor)
  if (place === undefined) throw unknownInboxCursor()
  const [at = '', id = ''] = place.split('|')
  // Each once: a value that is named twice would be listed twice.
  const asked = { states: [...new Set(state)], kinds: [...new Set(kind)] }
  const [rows, unread] = await Promise.all([
    store.listEntries(ctx, { ...reader, ...asked, at, id, limit: limit + 1 }),
    store.countUnread(ctx, { ...reader, limit: mostCounted }),
  ])
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const next_cursor = last && rows.length > limit ? cursors.issue(name, `${last.at}|${last.id}`) : null
  return { items: page.map(presentEntry), next_cursor, unread }
}

const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const yearMs = 366 * 24 * 3600 * 1000

interface Marking {
  readonly entries: readonly { readonly id: string; readonly causes?: number | undefined }[]
  readonly state: InboxState
  readonly until?: string | undefined
}

export async function markEntries(ctx: BrandCtx, { entries, state, until }: Marking) {
  if (until !== undefined) {
    const ahead_ms = Date.parse(until) - ctx.now().getTime()
    if (ahead_ms <= 0 || ahead_ms > yearMs) throw badSnooze()
  }
  const reader = readerOf(ctx)
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  const ids = [...byId.keys()]
  return ctx.tx(async (ctx) => {
    const own = await store.lockEntries(ctx, { ...reader, ids })
    if (own.length < ids.length) throw entryNotFound()
    const given = JSON.stringify([...byId.values()])
    const marked = await store.updateMarked(ctx, {
      entries: given,
      state,
      until: until ?? null,
      days: doneDays,
    })
    const rows = await store.listEntriesById(ctx, { ...reader, ids })
    return { marked: marked.length, items: rows.map(presentEntry) }
  })
}

/** Agents read the inbox of the person for whom they act, as far as their token reaches. */
export function readerOf({ actor }: BrandCtx): store.Reader {
  if (actor.kind !== 'person') throw entryNotFound()
  return { person_id: actor.person_id, is_admin: actor.role === 'admin', scopes: actor.scopes }
}

export const entrySweeps: readonly Sweep[] = [{ table: 'inbox.entries', bite: store.deleteEnded }]
