import { longestBody } from '@crewhall/contracts/memory/fields.ts'
import { heading, type LineSource, oneLine, plain, readLine, shownText, shownTitle } from './lines.rules.ts'

/** What somebody has written into the section. Lines that are gone say nothing: memories are deleted by their ids. */
export type Edit =
  | { readonly kind: 'changed'; readonly short: string; readonly text: string }
  | { readonly kind: 'added'; readonly text: string }

/** More are no edits but another file in the place of ours. */
export const mostEdits = 100

/** A bullet or a paragraph is one edit, over as many lines as it has. */
export function listEdits(lines: readonly string[]): Edit[] {
  return itemsOf(lines.filter((line) => !heading.includes(line.trimEnd()))).flatMap((item): Edit[] => {
    const own = readLine(item)
    if (own) return own.is_edited ? [{ kind: 'changed', short: own.short, text: own.text }] : []
    const text = plain(oneLine(item.replace(/^[-*+] +/u, '')))
    return text === '' ? [] : [{ kind: 'added', text }]
  })
}

/** Formatters break long lines, and indent what belongs to a bullet. */
function itemsOf(lines: readonly string[]): string[] {
  const items: string[] = []
  let isOpen = false
  for (const line of lines) {
    const isBlank = line.trim() === ''
    const isStart = /^(?:[-*+] |#{1,6} )/u.test(line)
    if (isOpen && !isStart && !isBlank) items.push(`${items.pop()} ${line.trim()}`)
    else if (!isBlank) items.push(line.trimEnd())
    isOpen = !isBlank && !line.startsWith('#')
  }
  return items
}

export interface TextChange {
  readonly title?: string
  readonly body?: string
  readonly description?: string
}
const form = /^[a-z]+: \*\*((?:\\.|[^\\*]|\*(?!\*))*)\*\* ?(.*)$/u

/** What an edited line wants changed of the memory; undefined if it says what the memory says now. */
export function changeOf(memory: LineSource, text: string): TextChange | undefined {
  const [, title, rest] = form.exec(text) ?? []
  if (title === undefined || rest === undefined) return { body: bounded(plain(oneLine(text)), longestBody) }
  const { of, ...shown } = shownText(memory)
  const change = {
    ...edited('title', plain(oneLine(title)), { ...shownTitle(memory), whole: memory.title }),
    ...edited(of, plain(oneLine(rest)), { ...shown, whole: memory[of] ?? '' }),
  }
  return Object.keys(change).length === 0 ? undefined : change
}

interface Shown {
  readonly text: string
  readonly is_cut: boolean
  readonly whole: string
}
const longest = { title: 500, body: longestBody, description: 200 } as const

function edited(
  field: keyof typeof longest,
  text: string,
  { text: shown, is_cut, whole }: Shown,
): TextChange {
  if (text === shown || text === '') return {}
  // What the line had no room for stays, as long as the edited text says that there is more.
  const rest = is_cut && text.endsWith('…') ? oneLine(whole).slice(shown.length - 1) : undefined
  return {
    [field]: bounded(rest === undefined ? text : `${text.slice(0, -1)}${rest}`, longest[field]),
  }
}

const bounded = (text: string, most: number): string => Array.from(text).slice(0, most).join('')

/** A new memory from a line: the bold part or the first sentence is its title. */
export function draftOf(text: string): { title: string; body: string } {
  const bold = /^(?:[a-z]+: )?\*\*(.+?)\*\* ?(.*)$/su.exec(text)
  const title = bold?.[1] ?? /^.*?[.!?](?= |$)/u.exec(text)?.[0] ?? text
  return { title: bounded(title, 500), body: bounded(bold?.[2] || text, longestBody) }
}
