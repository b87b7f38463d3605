import type { NewCard } from '@crewhall/contracts/boards/cards.ts'
import { foldName } from '@crewhall/contracts/folding.ts'

/** A row of a file as a card, with names of people and states as the file has them. */
export interface SourceCard {
  readonly row: number
  /** Names the card in its source, so that it is not made twice on a board. */
  readonly client_ref: string
  readonly card: Pick<
    NewCard,
    | 'title'
    | 'description'
    | 'notes'
    | 'labels'
    | 'priority'
    | 'estimate'
    | 'due_at'
    | 'start_at'
    | 'task_type'
  >
  readonly person: string | null
  readonly state: string | null
  /** The `client_ref` of the parent. */
  readonly parent: string | null
}

/** What a reader finds in a row: texts as they are written there. */
export interface Found {
  readonly key: string
  readonly title: string
  readonly text?: string | undefined
  /** Where it comes from and since when, for the end of the description. */
  readonly origin?: string | undefined
  readonly labels?: readonly string[] | undefined
  readonly priority?: string | undefined
  readonly estimate?: string | undefined
  readonly due?: string | undefined
  readonly start?: string | undefined
  readonly type?: string | undefined
  readonly person?: string | undefined
  readonly state?: string | undefined
  readonly parent?: string | undefined
}

export type Read = SourceCard | { readonly problem: string }

const limits = { title: 500, description: 4000, notes: 65_536, label: 50, labels: 20, name: 200, key: 200 }

const points = (text: string): string[] => Array.from(text)
const cut = (text: string, most: number): string =>
  text.length <= most ? text : points(text).slice(0, most).join('')

/** NUL is in no text of the database, and half a character in none of UTF-8. */
const isImpossible = (text: string): boolean => text.includes('\0') || !text.isWellFormed()

export function cardOf(row: number, found: Found): Read {
  const title = found.title.trim().replace(/\s+/g, ' ')
  if (title === '') return { problem: 'there is no title' }
  const { labels = [] } = found
  const texts = [
    title,
    found.text,
    found.origin,
    found.person,
    found.state,
    found.key,
    found.parent,
    ...labels,
  ]
  if (texts.some((text) => text !== undefined && isImpossible(text)))
    return { problem: 'a text contains NUL or half a character' }
  if (points(found.key).length > limits.key)
    return { problem: `the id is longer than ${limits.key} characters` }
  const due_at = momentOf(found.due)
  const start_at = momentOf(found.start)
  const estimate = numberOf(found.estimate)
  if (due_at === undefined) return { problem: `this is no date: ${cut(found.due ?? '', 50)}` }
  if (start_at === undefined) return { problem: `this is no date: ${cut(found.start ?? '', 50)}` }
  if (estimate === undefined) return { problem: `this is no estimate: ${cut(found.estimate ?? '', 50)}` }
  return {
    row,
    client_ref: found.key,
    card: {
      title: cut(title, limits.title),
      ...textsOf(found),
      labels: labelsOf(labels),
      priority: priorityOf(found.priority),
      estimate,
      due_at,
      start_at,
      ...(found.type && taskTypes.has(found.type) ? { task_type: found.type as NewCard['task_type'] } : {}),
    },
    person: nameOf(found.person),
    state: nameOf(found.state),
    parent: cut(found.parent?.trim() ?? '', limits.key) || null,
  }
}

const taskTypes = new Set(['coding', 'docs', 'research', 'design', 'test'])
const nameOf = (name: string | undefined): string | null =>
  cut(name?.trim() ?? '', limits.name).trim() || null

/** A text that is too long for the description is whole in the notes. */
function textsOf({ text = '', origin }: Found): { description: string; notes?: string } {
  const end = origin ? `${text.trim() === '' ? '' : '\n\n'}${origin}` : ''
  const room = limits.description - points(end).length
  if (points(text).length <= room) return { description: `${text.trimEnd()}${end}` }
  const hint = '… (continued in the notes)'
  const description = `${cut(text, room - points(hint).length)}${hint}${end}`
  return { description, notes: cut(text, limits.notes) }
}

function labelsOf(all: readonly string[]): string[] {
  // Filters separate labels by commas.
  const names = all.map((name) => cut(name.replaceAll(',', ' ').trim(), limits.label).trim())
  return [...new Set(names.filter((name) => name !== ''))].slice(0, limits.labels)
}

const priorityNames: Readonly<Record<string, NonNullable<NewCard['priority']>>> = {
  urgent: 'urgent',
  critical: 'urgent',
  highest: 'urgent',
  p0: 'urgent',
  '1': 'urgent',
  high: 'high',
  p1: 'high',
  '2': 'high',
  medium: 'medium',
  normal: 'medium',
  p2: 'medium',
  '3': 'medium',
  low: 'low',
  lowest: 'low',
  p3: 'low',
  '4': 'low',
}
const priorityOf = (name = ''): NonNullable<NewCard['priority']> => priorityNames[foldName(name)] ?? 'none'

function numberOf(text = ''): number | null | undefined {
  if (text.trim() === '') return null
  const number = Number(text)
  return number >= 0 && number <= 1_000_000 ? number : undefined
}

/** A date alone is its first moment in UTC. Null for none, undefined for what is none. */
function momentOf(text = ''): string | null | undefined {
  if (text.trim() === '') return null
  const at = new Date(text.trim())
  const time = at.getTime()
  return time >= 0 && time < Date.UTC(10_000, 0) ? `${at.toISOString().slice(0, -1)}000Z` : undefined
}
