import type { KeyRing } from '#platform/secrets/key-ring.ts'
import { createKeyedDigests } from '#platform/secrets/keyed-digests.ts'

/** The place of a reader in a list that grows, handed to the reader and taken back. */
export interface Cursors {
  /** `list` names the list and whose it is, such as `audit:12`; a cursor of one is no cursor of another. */
  issue(list: string, position: string): string
  /** The position, or undefined when this very text was not issued for this list. */
  read(list: string, cursor: string): string | undefined
}

/** Only what was issued comes back: readers cannot make up a place, nor carry one from list to list. */
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
      // Decoding is lenient and several texts mean one position; only the one that was issued is taken.
      return join(position, digest) === cursor && digests.matches(`${list}\n${position}`, digest)
        ? position
        : undefined
    },
  }
}
