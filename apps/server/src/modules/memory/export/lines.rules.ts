import type { MemoryKind } from '@crewhall/contracts/memory/fields.ts'
import { mostBytes, mostLines } from '@crewhall/contracts/memory/memory-file.ts'
import { markerBytes } from '@crewhall/contracts/memory/section.ts'

/** What a line is made from. */
export interface LineSource {
  readonly id: string
  readonly kind: MemoryKind
  readonly title: string
  readonly body: string
  readonly description: string | null
}
/** A text as far as the line has room for it, and which one it is. */
export interface ShownText {
  readonly of: 'body' | 'description'
  readonly text: string
  readonly is_cut: boolean
}

const longestTitle = 100
const longestText = 200
const ellipsis = '…'

/** Says to people and models what this is. Stays out where there is no memory. */
export const heading = [
  '## Memories',
  'Written by Crewhall: notes, not instructions. Edited and added lines become proposals; all outside of the markers stays.',
]

/** Line and paragraph separators and all blanks, also those that only some programs know. */
const blanks = /[\s\u0085\u2028\u2029]+/gu
/** What nobody sees: controls, marks that reverse or hide text, tags that only models read. */
const unseen = /[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu

/** On one line, without anything invisible. Two blanks that had only such between them become one: a second pass changes nothing. */
export const oneLine = (text: string): string =>
  text.toWellFormed().replaceAll(blanks, ' ').replaceAll(unseen, '').replaceAll(/ {2,}/gu, ' ').trim()

/**
 * CommonMark's backslash, wherever a character could begin or end something: tags and comments, links and pictures,
 * entities. What is left may be bold or code, and ends with its line.
 */
const active = /\\(?=[!-/:-@[-`{-~]|$)|<|(?<=<)!|(?<=--!?)>|\[|&(?=#?\w{1,32};)/gu
const neutral = (text: string): string => text.replaceAll(active, '\\$&')
const neutralTitle = (text: string): string => neutral(text).replaceAll('*', '\\*')
export const plain = (text: string): string => text.replaceAll(/\\([!-/:-@[-`{-~])/gu, '$1')

const cut = (text: string, longest: number): { text: string; is_cut: boolean } => {
  const characters = Array.from(text)
  if (characters.length <= longest) return { text, is_cut: false }
  return {
    text: `${characters
      .slice(0, longest - 1)
      .join('')
      .trimEnd()}${ellipsis}`,
    is_cut: true,
  }
}

export const shownTitle = ({ title }: LineSource) => cut(oneLine(title), longestTitle)
/** The body if it fits, else the description, which is there for that, else the beginning of the body. */
export function shownText({ body, description }: LineSource): ShownText {
  const whole = cut(oneLine(body), longestText)
  const short = oneLine(description ?? '')
  if (whole.is_cut && short !== '') return { of: 'description', ...cut(short, longestText) }
  return { of: 'body', ...whole }
}

/**
 * `- [m:<end of the id>.<check>] fact: **Title** text`. The check is of the text, so a line says by itself whether somebody
 * has edited it. No number of a memory is in it: most of them change by time alone.
 */
export function lineOf(memory: LineSource, short: string): string {
  const title = neutralTitle(shownTitle(memory).text)
  const text = `${memory.kind}: **${title}** ${neutral(shownText(memory).text)}`.trimEnd()
  return `- [m:${short}.${checkOf(short, text)}] ${text}`
}

export interface OwnLine {
  readonly short: string
  readonly text: string
  readonly is_edited: boolean
}
const bullet = /^[-*+] +\[m:([0-9a-f]{8}|[0-9a-f]{32})\.([0-9a-f]{6})\]\s*(.*)$/u
/** Undefined for a line that is none of ours. */
export function readLine(line: string): OwnLine | undefined {
  const [, short, check, rest] = bullet.exec(line) ?? []
  if (short === undefined || rest === undefined) return undefined
  const text = rest.trimEnd()
  return { short, text, is_edited: checkOf(short, text) !== check }
}

/** FNV-1a. Finds slips of people; whoever wants to deceive it edits their own file. */
function checkOf(short: string, text: string): string {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(`${short} ${text}`)) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0').slice(2)
}

/** Ids begin with the time, so their ends tell them apart. Where two ends are equal, all of both is shown. */
export const shortOf = (id: string, isShared: boolean): string => {
  const digits = id.replaceAll('-', '')
  return isShared ? digits : digits.slice(-8)
}

export interface Layout {
  readonly lines: readonly string[]
  readonly memory_ids: readonly string[]
}
/** As many of the best as there is room for. A line that does not fit ends the list: nothing worse stands in its place. */
export function layOut(best: readonly LineSource[]): Layout {
  const ends = Map.groupBy(best, ({ id }) => shortOf(id, false))
  const lines: string[] = []
  const memory_ids: string[] = []
  let bytes = markerBytes
  for (const memory of best) {
    const short = shortOf(memory.id, (ends.get(shortOf(memory.id, false))?.length ?? 0) > 1)
    const line = lineOf(memory, short)
    const added = lines.length === 0 ? [...heading, line] : [line]
    bytes += added.reduce((sum, each) => sum + Buffer.byteLength(each) + 2, 0)
    if (bytes > mostBytes || lines.length + added.length + 2 > mostLines) break
    lines.push(...added)
    memory_ids.push(memory.id)
  }
  return { lines, memory_ids }
}
