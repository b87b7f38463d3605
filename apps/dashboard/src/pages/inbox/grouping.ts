import { type InboxEntry, inboxKinds } from '@crewhall/contracts/inbox/inbox.ts'
import type { Row } from './entry-list.tsx'
import { kindWords } from './entry-words.ts'
import type { Shelf } from './inbox-data.ts'

/** Open entries by what they need, then those that were read before; others in one group, in their order. */
export function rowsOf(
  entries: readonly InboxEntry[],
  shelf: Shelf,
  firstSeen: ReadonlyMap<string, InboxEntry['state']>,
): readonly Row[] {
  const rows = (of: readonly InboxEntry[]) => of.map((entry) => ({ kind: 'entry', entry }) as const)
  if (shelf !== 'open') return rows(entries)
  const isNew = ({ id }: InboxEntry) => firstSeen.get(id) === 'unread'
  const groups = inboxKinds.flatMap((kind): readonly Row[] => {
    const inside = entries.filter((entry) => entry.kind === kind && isNew(entry))
    if (inside.length === 0) return []
    return [{ kind: 'group', name: kind, word: kindWords[kind], count: inside.length }, ...rows(inside)]
  })
  const read = entries.filter((entry) => !isNew(entry))
  return read.length === 0
    ? groups
    : [...groups, { kind: 'group', name: 'read', word: 'Read', count: 0 }, ...rows(read)]
}
