import { usePhone } from '../../ui/use-wide.ts'
import type { FeedEntry } from './feed-data.ts'

export type FeedRow =
  | { readonly kind: 'day'; readonly day: string }
  | { readonly kind: 'entry'; readonly entry: FeedEntry }
  | { readonly kind: 'end' }

/** Fixed, so that a place can be kept while rows come above it. */
const wideRows = { day: 36, entry: 54, end: 80 }
/** What happened takes two lines there. */
const phoneRows = { ...wideRows, entry: 68 }
export type RowHeights = typeof wideRows

export const useRowHeights = (): RowHeights => (usePhone() ? phoneRows : wideRows)

export const rowKey = (row: FeedRow): string =>
  row.kind === 'entry' ? row.entry.id : row.kind === 'day' ? row.day : 'end'

/** Entries under the days of the reader, and what stands at the end. */
export function rowsOf(entries: readonly FeedEntry[]): readonly FeedRow[] {
  const rows: FeedRow[] = []
  let day = ''
  for (const entry of entries) {
    if (entry.day !== day) {
      day = entry.day
      rows.push({ kind: 'day', day })
    }
    rows.push({ kind: 'entry', entry })
  }
  return [...rows, { kind: 'end' }]
}
