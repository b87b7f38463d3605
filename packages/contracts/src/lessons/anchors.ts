import { z } from 'zod'

/** What an anchor names. */
export interface AnchorPlace {
  readonly path: string
  /** Empty for files and folders. */
  readonly symbol: string
  readonly is_folder: boolean
}

const longestPath = 1024
const longestSymbol = 512
// Neither has a place in the name of a file that is indexed.
const control = /\p{Cc}/u
const bytesOf = (value: string): number => new TextEncoder().encode(value).length

/**
 * LES-05: `<path>`, `<path>#<Symbol.name>` or `<folder>/`; the slash at the end alone tells a folder. Returns what is wrong
 * as a sentence without a subject (LES-G6).
 */
export function readAnchor(text: string): AnchorPlace | string {
  if (text === '') return 'is empty'
  if (!text.isWellFormed() || control.test(text)) return 'has a character that no path has'
  if (text.includes('\\')) return 'has a backslash; folders are parted by /'
  if (text.endsWith('/')) return placeOf(text.slice(0, -1), '', true)
  const mark = text.indexOf('#')
  if (mark < 0) return placeOf(text, '', false)
  if (mark === text.length - 1) return 'names no symbol after #'
  return placeOf(text.slice(0, mark), text.slice(mark + 1), false)
}

function placeOf(path: string, symbol: string, is_folder: boolean): AnchorPlace | string {
  if (path === '') return 'names no path'
  if (path.startsWith('/')) return 'is absolute; paths begin in the root of the repository'
  if (path.split('/').some((part) => part === '' || part === '.' || part === '..'))
    return 'has a part that is empty, . or ..'
  if (bytesOf(path) > longestPath) return `has a path of more than ${longestPath} bytes`
  if (bytesOf(symbol) > longestSymbol) return `has a symbol of more than ${longestSymbol} bytes`
  return { path, symbol, is_folder }
}

/** The text of an anchor. */
export const anchorText = ({ path, symbol, is_folder }: AnchorPlace): string =>
  is_folder ? `${path}/` : symbol === '' ? path : `${path}#${symbol}`

/** An anchor in a request (LES-29, LES-47). */
export const Anchor = z
  .string()
  .max(longestPath + longestSymbol + 1)
  .superRefine((text, { addIssue }) => {
    const read = readAnchor(text)
    if (typeof read === 'string') addIssue({ code: 'custom', message: `is no valid anchor: it ${read}` })
  })
  .meta({ examples: ['src/billing/invoice.ts#Invoice.total'] })
