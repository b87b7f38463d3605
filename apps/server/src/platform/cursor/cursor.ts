import type { KeyRing } from '#platform/secrets/key-ring.ts'
import { createKeyedDigests } from '#platform/secrets/keyed-digests.ts'

/** The position of a reader in a growing list, as an opaque signed text. */
export interface Cursors {
  /** `list` names the list and its owner, such as `audit:12`; a cursor is valid for one list only. */
  issue(list: string, position: string): string
  /** The position, or undefined when this very text was not issued for this list on this timeline. */
  read(list: string, cursor: string): string | undefined
  /** Whether it was issued for this list before the database was restored: what followed it may never have been. */
  isPast(list: string, cursor: string): boolean
}

interface Issued {
  readonly timeline: number
  readonly position: string
}

// On the first timeline they have none, so that the release before there were numbers reads them too: processes of both run
// while it is replaced.
const numbered = /^([1-9][0-9]{0,9})~/
const firstTimeline = 1

function issuedOf(text: string): Issued {
  const [prefix = '', number = firstTimeline] = numbered.exec(text) ?? []
  return { timeline: Number(number), position: text.slice(prefix.length) }
}

/**
 * Signed, so that readers can neither forge a position nor use it for another list. Each carries the number of the timeline:
 * after a restore, numbers and transactions are counted again from the moment that was restored.
 */
export function createCursors(ring: KeyRing, timeline: { readonly number: number }): Cursors {
  const digests = createKeyedDigests(ring, 'cursor')
  const join = (text: string, digest: Buffer): string =>
    `${Buffer.from(text).toString('base64url')}.${digest.toString('base64url')}`
  const find = (list: string, cursor: string): Issued | undefined => {
    const [place = '', signature = ''] = cursor.split('.', 2)
    const text = Buffer.from(place, 'base64url').toString()
    const digest = Buffer.from(signature, 'base64url')
    // Decoding is lenient, so several texts mean one position; only the issued one is accepted.
    const isIssued = join(text, digest) === cursor && digests.matches(`${list}\n${text}`, digest)
    return isIssued ? issuedOf(text) : undefined
  }
  return {
    issue(list, position) {
      const isPlain = timeline.number === firstTimeline && !numbered.test(position)
      const text = isPlain ? position : `${timeline.number}~${position}`
      return join(text, digests.of(`${list}\n${text}`))
    },
    read(list, cursor) {
      const found = find(list, cursor)
      return found && found.timeline === timeline.number ? found.position : undefined
    },
    isPast(list, cursor) {
      const found = find(list, cursor)
      return found !== undefined && found.timeline !== timeline.number
    },
  }
}
