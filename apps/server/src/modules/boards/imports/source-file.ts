import { pipeline, Readable } from 'node:stream'
import { importUnreadable, mostImportRows } from '@crewhall/contracts/boards/imports.ts'
import type { SpooledUpload } from '@crewhall/contracts/route.ts'
import { type CsvError, type Parser, parse } from 'csv-parse'
import { ObjectScanner } from './json-objects.rules.ts'

// What a file holds, a row at a time and without a second copy of it.

const mostRecordBytes = 1024 * 1024
const mostColumns = 200
const pieceBytes = 64 * 1024

/** A row with the number that people find it by: of CSV the record, with the header as 1; of JSON the issue from 1. */
export interface SourceRow<T> {
  readonly row: number
  readonly value: T
}

const tooMany = (row: number) =>
  importUnreadable({ row, problem: `there are more than ${mostImportRows} rows` })

/** Where the bytes come from, with the first of them. */
export type SourceFile = Pick<SpooledUpload, 'head' | 'read'>

/** A byte order mark does not count. UTF-16 and Latin-1 are refused: a guess would spoil texts silently. */
async function* textOf({ head, read }: SourceFile, row: () => number): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const bytes = read()
  try {
    for await (const piece of bytes instanceof Uint8Array ? piecesOf(bytes) : bytes)
      yield decoder.decode(piece, { stream: true })
    yield decoder.decode()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const isWide = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)
    const problem = isWide ? 'the file is UTF-16; save it as UTF-8' : 'the file is not UTF-8 from here on'
    throw importUnreadable({ row: row(), problem })
  }
}

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += pieceBytes) yield bytes.subarray(from, from + pieceBytes)
}

export const isJson = ({ head }: SourceFile): boolean => /^\s*[[{]/.test(new TextDecoder().decode(head))

const problems: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quotation mark is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'a quotation mark is closed in the middle of a cell',
  INVALID_OPENING_QUOTE: 'a quotation mark stands in the middle of a cell without quotes',
  CSV_MAX_RECORD_SIZE: 'the row is longer than 1 MiB',
}

/** Records of a CSV file, the header first. */
export async function* readCsv(file: SourceFile): AsyncGenerator<SourceRow<readonly string[]>> {
  const parser: Parser = parse({
    bom: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: mostRecordBytes,
  })
  const next = () => parser.info.records + 1
  // The error comes out of the parser, too.
  pipeline(Readable.from(textOf(file, next)), parser, () => undefined)
  let row = 0
  try {
    for await (const value of parser as AsyncIterable<readonly string[]>) {
      row += 1
      if (row > mostImportRows + 1) throw tooMany(row)
      if (value.length > mostColumns)
        throw importUnreadable({ row, problem: `there are more than ${mostColumns} columns` })
      yield { row, value }
    }
  } catch (error) {
    const problem = problems[(error as CsvError).code]
    throw problem === undefined ? error : importUnreadable({ row: next(), problem })
  }
}

/** Objects of a JSON file: one list, several after each other as `gh api --paginate` prints them, or one on each line. */
export async function* readJson(file: SourceFile): AsyncGenerator<SourceRow<unknown>> {
  const scanner = new ObjectScanner(mostRecordBytes)
  let row = 0
  for await (const text of textOf(file, () => row + 1)) {
    for (const found of scanner.feed(text)) {
      row += 1
      if (row > mostImportRows) throw tooMany(row)
      yield { row, value: parsed(found, row) }
    }
    if (scanner.fault !== undefined) throw importUnreadable({ row: row + 1, problem: scanner.fault })
  }
  if (scanner.isInside) throw importUnreadable({ row: row + 1, problem: 'the file ends in the middle' })
}

function parsed(text: string, row: number): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw importUnreadable({ row, problem: 'this is not JSON' })
  }
}
