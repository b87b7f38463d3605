import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/** The place of a reader in a list that grows, handed to the reader and taken back. */
export interface Cursors {
  /** `list` names the list and whose it is, such as `audit:12`; a cursor of one is no cursor of another. */
  issue(list: string, position: string): string
  /** The position, or undefined when this very text was not issued for this list. */
  read(list: string, cursor: string): string | undefined
}

/** Only what was issued comes back: readers cannot make up a place, nor carry one from list to list. */
export function createCursors(secret: string): Cursors {
  const key = Buffer.from(hkdfSync('sha256', secret, 'crewhall', 'cursor', 32))
  const issue = (list: string, position: string): string => {
    const mac = createHmac('sha256', key).update(`${list}\n${position}`).digest('base64url')
    return `${Buffer.from(position).toString('base64url')}.${mac}`
  }
  return {
    issue,
    read(list, cursor) {
      const position = Buffer.from(cursor.split('.', 1)[0] ?? '', 'base64url').toString()
      // Decoding is lenient and several texts mean one position; only the one that was issued is taken.
      return isEqual(issue(list, position), cursor) ? position : undefined
    },
  }
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
