import type { ToldChange, ToldChanges } from '@crewhall/contracts/boards/activity.ts'

/** Longer values are told by their sizes. */
const valueBytes = 1024
/** All values of an entry together. With sizes of all fields, a title and a ref, an entry stays below 8 KiB. */
const entryBytes = 4096

/** Changed fields as the feed tells them: short values as they are, long ones as sizes. */
export function deriveTold(changed: ToldChanges, fields: readonly string[]): ToldChanges | undefined {
  let left = entryBytes
  const told: Record<string, ToldChange> = {}
  for (const field of fields) {
    const change = changed[field]
    if (!change || !('to' in change)) continue
    const [from, to] = [JSON.stringify(change.from ?? null), JSON.stringify(change.to ?? null)]
    const [from_bytes, to_bytes] = [Buffer.byteLength(from), Buffer.byteLength(to)]
    const isLong = Math.max(from_bytes, to_bytes) > valueBytes || from_bytes + to_bytes > left
    told[field] = isLong ? { from_bytes: sizeOf(change.from), to_bytes: sizeOf(change.to) } : change
    if (!isLong) left -= from_bytes + to_bytes
  }
  return Object.keys(told).length === 0 ? undefined : told
}

/** Of a text its own bytes; of all else those of its JSON. */
function sizeOf(value: unknown): number {
  if (value === null || value === undefined) return 0
  return Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value))
}
