import type { KeyRing } from '#platform/secrets/key-ring.ts'
import { createKeyedDigests } from '#platform/secrets/keyed-digests.ts'

/** The position of a reader in a growing list, as an opaque signed text. */
export interface Cursors {
  /** `list` names the list and its owner, such as `audit:12`; a cursor is valid for one list only. */
  issue(list: string, position: string): string
  /** The position, or undefined when this very text was not issued for this list. */
  read(list: string, cursor: string): string | undefined
}

/** Signed, so that readers can neither forge a position nor use it for another list. */
export function createCursors(ring: KeyRing): Cursors {
  const digests = createKeyedDigests(ring, 'cursor')
  const join = (position: string, digest: Buffer): string =>
    `${Buffer.from(position).toString('base64url')}.${digest.toString('base64url')}`
  return {
    issue: (list, position) => join(position, digests.of(`${list}\n${position}`)),
    read(list, cursor) {
      const [place = '', signature = ''] = cursor.split('.', 2)
      const position = Buffer.from(place, 'base64url').toString()
      const digest = Buffer.from(signature, 'base64url')
      // Decoding is lenient, so several texts mean one position; only the issued one is accepted.
      return join(position, digest) === cursor && digests.matches(`${list}\n${position}`, digest)
        ? position
        : undefined
    },
  }
}
