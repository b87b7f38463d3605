import { createHash } from 'node:crypto'
import type { OpenFile } from '#platform/shared-files/file-tree.ts'
import { type FileMark, isWholeLine } from './session-file.rules.ts'

const pieceBytes = 1_048_576
/** Pictures stand in one line. A longer one is left out. */
const longestLine = 8 * pieceBytes
/** Enough to tell two files apart. */
const checkedBytes = 1024
const newline = 0x0a

/** Whole lines of a file. */
export interface Piece {
  /** Empty for a line that is too long. */
  readonly text: string
  readonly from: number
  readonly end: number
}

/** Where to go on: at the beginning if another file has taken the place of the one that was read before. */
export async function startOf(file: OpenFile, mark: FileMark | undefined): Promise<number> {
  if (!mark || file.size < mark.offset) return 0
  return (await checkOf(file, mark.offset)) === mark.check ? mark.offset : 0
}

export async function checkOf(file: OpenFile, offset: number): Promise<string> {
  const from = Math.max(0, offset - checkedBytes)
  const before = await file.read(from, offset - from)
  return createHash('sha256')
    .update(await headOf(file))
    .update('\0')
    .update(before)
    .digest('hex')
    .slice(0, 32)
}

/** Tells apart what stood there one after the other. Does not change while the file grows. */
export const generationOf = async (file: OpenFile): Promise<string> =>
  createHash('sha256')
    .update(await headOf(file))
    .digest('hex')
    .slice(0, 8)

async function headOf(file: OpenFile): Promise<Buffer> {
  const bytes = await file.read(0, checkedBytes)
  const end = bytes.indexOf(newline)
  return end < 0 ? bytes : bytes.subarray(0, end)
}

/** Undefined if no whole line is there yet. */
export async function nextPiece(file: OpenFile, from: number): Promise<Piece | undefined> {
  if (from >= file.size) return undefined
  const bytes = await file.read(from, Math.min(pieceBytes, file.size - from))
  const end = bytes.lastIndexOf(newline) + 1
  if (end > 0) return { text: bytes.toString('utf8', 0, end), from, end: from + end }
  if (from + bytes.length < file.size) return longLine(file, from, bytes)
  const text = bytes.toString('utf8')
  return isWholeLine(text) ? { text, from, end: from + bytes.length } : undefined
}

async function longLine(file: OpenFile, from: number, first: Buffer): Promise<Piece | undefined> {
  let pieces = [first]
  let at = from + first.length
  while (at < file.size) {
    const bytes = await file.read(at, Math.min(pieceBytes, file.size - at))
    if (bytes.length === 0) return undefined
    const end = bytes.indexOf(newline) + 1
    const isTooLong = at + (end || bytes.length) - from > longestLine
    pieces = isTooLong ? [] : [...pieces, end > 0 ? bytes.subarray(0, end) : bytes]
    at += end || bytes.length
    if (end > 0) return { text: Buffer.concat(pieces).toString('utf8'), from, end: at }
  }
  const text = Buffer.concat(pieces).toString('utf8')
  return isWholeLine(text) ? { text, from, end: at } : undefined
}
