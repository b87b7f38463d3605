/** How far a file was read, and how it looked then. */
export interface FileMark {
  /** Of the file when it was read to its end; empty while there is more. */
  readonly seen: string
  readonly offset: number
  /** Of the bytes at the beginning and before the offset: they say whether it is still the same file. */
  readonly check: string
}

export const markText = ({ seen, offset, check }: FileMark): string => JSON.stringify([offset, check, seen])

/** Undefined for what nobody has written like this. */
export function markOf(text: string | undefined): FileMark | undefined {
  const [offset, check, seen] = listOf(text)
  return typeof offset === 'number' && typeof check === 'string' && typeof seen === 'string'
    ? { offset, check, seen }
    : undefined
}

/** Where a pass stands. */
export interface Place {
  /** The path of the last file that was looked at. */
  readonly after: string
  readonly files: number
  readonly skipped: Readonly<Record<string, number>>
}
const beginning: Place = { after: '', files: 0, skipped: {} }

export const placeText = ({ after, files, skipped }: Place): string => JSON.stringify([after, files, skipped])

export function placeOf(text: string): Place {
  const [after, files, skipped] = listOf(text)
  return typeof after === 'string' && typeof files === 'number' && typeof skipped === 'object' && skipped
    ? { after, files, skipped: { ...skipped } }
    : beginning
}

function listOf(text: string | undefined): readonly unknown[] {
  if (text === undefined || text === '') return []
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

/**
 * Whether the bytes behind the last line break are a whole line: programs append while we read, and half an object is
 * none, whereas a whole one cannot be continued.
 */
export function isWholeLine(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null
  } catch {
    return false
  }
}

const longestKey = 500
/** What a conversation is called: the path below the directory of the source. */
export const isKey = (path: string): boolean =>
  path.length > 0 && path.length <= longestKey && path.isWellFormed() && !path.includes('\0')
