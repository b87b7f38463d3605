import type { SkipReason, Tally } from './transcript.rules.ts'

/** An object whose fields nobody has checked yet. */
export type Fields = Readonly<Record<string, unknown>>

/**
 * The objects of a file, one per line. Programs append while we read, so a broken last line is the normal case and
 * says only that more will come; a broken line before it is lost, and counted.
 */
export function readLines(jsonl: string, skipped: Tally<SkipReason>): { records: Fields[]; is_cut: boolean } {
  const lines = jsonl.split('\n').filter((line) => line.trim() !== '')
  const parsed = lines.map(fieldsIn)
  const is_cut = parsed.length > 0 && parsed.at(-1) === undefined
  const records = parsed.filter((each) => each !== undefined)
  skipped.add('broken_line', parsed.length - records.length - Number(is_cut))
  return { records, is_cut }
}

function fieldsIn(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line.charCodeAt(0) === 0xfeff ? line.slice(1) : line)
    return isFields(value) ? value : undefined
  } catch {
    // Half a line, or nested too deeply to be read.
    return undefined
  }
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined

/** Ids of a foreign program become keys of ours: bounded, and never empty. */
const longest_id = 200
export const idOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value.length <= longest_id ? value : null

const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/
/** The last millisecond of the year 9999: what is later has a year of five digits. */
const latest_ms = 253_402_300_799_999

/** Both ways of writing a time: text, or milliseconds since 1970. */
export function sentAtOf(...values: readonly unknown[]): string | null {
  for (const value of values) {
    const ms = typeof value === 'string' && moment.test(value) ? Date.parse(value) : value
    if (typeof ms === 'number' && ms >= 0 && ms <= latest_ms) return new Date(ms).toISOString()
  }
  return null
}

/** Parts of a message: a list of blocks, or a text alone. What is neither has none. */
export function blocksOf(content: unknown): Fields[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.filter(isFields) : []
}

/** What a tool was given or gave back, as one text. The filter drops it; nothing here shortens it. */
export function toolTextOf(name: unknown, content: unknown): string {
  const said =
    typeof content === 'string' ? content : Array.isArray(content) ? textsIn(content) : asJson(content)
  return [textOf(name), said].filter((part) => part !== undefined && part !== '').join(': ')
}

const textsIn = (content: readonly unknown[]): string =>
  blocksOf(content)
    .map((block) => textOf(block.text))
    .filter((text) => text !== undefined)
    .join('\n')

const asJson = (value: unknown): string =>
  value === undefined || value === null ? '' : JSON.stringify(value)
