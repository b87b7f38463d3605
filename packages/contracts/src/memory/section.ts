import type { MemoryFileReason } from './memory-file.ts'

/**
 * The part of a file that is ours, between two lines. Everything works on bytes, read one to one as Latin-1: what the rest
 * of the file is made of is none of our business.
 */
export interface FoundSection {
  readonly kind: 'found'
  readonly nonce: string
  readonly eol: '\n' | '\r\n'
  /** Of the first byte of the begin marker, and of the end of the line of the end marker without its line break. */
  readonly start: number
  readonly end: number
  /** What stands between the markers, without them. */
  readonly inside: Buffer
}
export type Section = FoundSection | { readonly kind: 'absent' } | Refused
export interface Refused {
  readonly kind: 'refused'
  readonly reason: MemoryFileReason
}

/** Whatever looks like one of our markers to anybody who reads the file, with whatever blanks and case. */
const alike = /<!--\s*crewhall:memory/gi
/** What is one: alone on its line, to the byte. */
const exact = /^<!-- crewhall:memory (begin|end) ([0-9a-f]{16}) -->$/
const marker = (which: 'begin' | 'end', nonce: string): string => `<!-- crewhall:memory ${which} ${nonce} -->`

const utf8Mark = '\xef\xbb\xbf'
const isUtf16 = (text: string): boolean => text.startsWith('\xff\xfe') || text.startsWith('\xfe\xff')

interface Marker {
  readonly which: 'begin' | 'end'
  readonly nonce: string
  readonly start: number
  readonly end: number
}

export function findSection(bytes: Buffer): Section {
  const text = bytes.toString('latin1')
  if (isUtf16(text)) return refused('encoding')
  const markers: Marker[] = []
  for (const { index } of text.matchAll(alike)) {
    const found = markerAt(text, index)
    if (!found) return refused('marker_malformed')
    markers.push(found)
    if (markers.length > 2) return refused('marker_doubled')
  }
  const [begin, end] = markers
  if (!begin) return { kind: 'absent' }
  if (!end) return refused('marker_lone')
  if (begin.which === end.which) return refused('marker_doubled')
  if (begin.which === 'end') return refused('marker_reversed')
  if (begin.nonce !== end.nonce) return refused('marker_mismatched')
  const eol = text[begin.end] === '\r' ? '\r\n' : '\n'
  const { nonce, start } = begin
  const inside = bytes.subarray(begin.end + eol.length, end.start)
  return { kind: 'found', nonce, eol, start, end: end.end, inside }
}

const refused = (reason: MemoryFileReason): Refused => ({ kind: 'refused', reason })

function markerAt(text: string, index: number): Marker | undefined {
  const lineStart = text.lastIndexOf('\n', index - 1) + 1
  const start = lineStart === 0 && text.startsWith(utf8Mark) ? utf8Mark.length : lineStart
  const lineBreak = text.indexOf('\n', index)
  const lineEnd = lineBreak === -1 ? text.length : lineBreak
  const end = lineBreak > 0 && text[lineEnd - 1] === '\r' ? lineEnd - 1 : lineEnd
  const match = exact.exec(text.slice(start, end))
  if (!match) return undefined
  return { which: match[1] === 'begin' ? 'begin' : 'end', nonce: match[2] ?? '', start, end }
}

/**
 * The file with these lines in its section. Where it has none, one is appended, with `nonce` in its markers; then all that
 * was there stands before it, byte for byte.
 */
export function withSection(
  bytes: Buffer | undefined,
  section: FoundSection | { readonly kind: 'absent' },
  lines: readonly string[],
  nonce: string,
): Buffer {
  const whole = bytes ?? Buffer.alloc(0)
  if (section.kind === 'found') {
    const text = sectionText(lines, section.nonce, section.eol)
    return Buffer.concat([whole.subarray(0, section.start), text, whole.subarray(section.end)])
  }
  const text = whole.toString('latin1')
  const eol = /\r\n$/.test(text.slice(0, text.lastIndexOf('\n') + 1)) ? '\r\n' : '\n'
  const gap = Buffer.from(gapAfter(text).replaceAll('\n', eol))
  return Buffer.concat([whole, gap, sectionText(lines, nonce, eol), Buffer.from(eol)])
}

function gapAfter(text: string): string {
  if (text === '' || text === utf8Mark || /\n\r?\n$/.test(text)) return ''
  return text.endsWith('\n') ? '\n' : '\n\n'
}

const sectionText = (lines: readonly string[], nonce: string, eol: string): Buffer =>
  Buffer.from([marker('begin', nonce), ...lines, marker('end', nonce)].join(eol))

/** Bytes of the two markers, with the longest line breaks. */
export const markerBytes = marker('begin', '0'.repeat(16)).length + marker('end', '0'.repeat(16)).length + 4

/** The lines between the markers as text. */
export const linesInside = (inside: Buffer): string[] => inside.toString('utf8').split(/\r?\n/)
