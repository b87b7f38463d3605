import type { FacetName, Sort } from '@crewhall/contracts/boards/filters.ts'
import { type CardRef, refOf } from '@crewhall/contracts/boards/task-ids.ts'

/** What a caller may ask for, as the contract gives it. */
export interface FindQuery {
  readonly q?: string | undefined
  readonly label?: readonly string[] | undefined
  readonly priority?: readonly string[] | undefined
  readonly task_type?: readonly string[] | undefined
  readonly assignee?: readonly string[] | undefined
  readonly delegate?: readonly string[] | undefined
  readonly created_by?: readonly string[] | undefined
  readonly has_pr?: boolean | undefined
  /** An id, a ref, or `none`. */
  readonly parent?: string | undefined
  readonly cycle?: string | undefined
  readonly due_before?: string | undefined
  readonly due_after?: string | undefined
  readonly blocked?: boolean | undefined
  readonly claimed?: boolean | undefined
  readonly sort?: Sort | undefined
  readonly count_by?: readonly FacetName[] | undefined
}

const names = [
  ...([
    'q',
    'label',
    'priority',
    'task_type',
    'assignee',
    'delegate',
    'created_by',
    'has_pr',
    'parent',
    'cycle',
  ] as const),
  ...(['due_before', 'due_after', 'blocked', 'claimed', 'sort', 'count_by'] as const),
] as const

/** Whether anything of it is asked for, besides what a list has always taken. */
export const isFinding = (query: FindQuery, besides: readonly (keyof FindQuery)[] = []): boolean =>
  names.some((name) => query[name] !== undefined && !besides.includes(name))

const mostWords = 16

export interface Asked {
  readonly words: readonly string[]
  /** The last word may go on. */
  readonly is_open: boolean
  /** Of the first ref among the words. */
  readonly ref: CardRef | undefined
}

/** The words of a query. All of it is plain text: no character is an operator. */
export function askedBy(q: string): Asked {
  const words = q.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  const [, ref] = /(?:^|\s)([a-z]{2,10}-[1-9]\d{0,8})(?:\s|$)/i.exec(q) ?? []
  return {
    words: words.slice(0, mostWords).map((word) => word.slice(0, 100)),
    is_open: words.length <= mostWords && /[\p{L}\p{N}\p{M}]$/u.test(q),
    ref: ref === undefined ? undefined : refOf(ref.toUpperCase()),
  }
}

const longestSwapped = 20

/** The word with any two neighbours swapped: trigrams of short words do not forgive that. Separated by blanks. */
export function swapsOf(word: string): string {
  const letters = [...word.toLowerCase()]
  if (letters.length < 4 || letters.length > longestSwapped) return ''
  const swapped = letters.slice(1).map((letter, at) => {
    const other = [...letters]
    other.splice(at, 2, letter, letters[at] as string)
    return other.join('')
  })
  return [...new Set(swapped)].filter((each) => each !== letters.join('')).join(' ')
}

/** Facts by which cards are found in the index, each with the values of which any counts. */
export interface Facts {
  readonly board?: readonly string[] | undefined
  readonly label?: readonly string[] | undefined
  readonly priority?: readonly string[] | undefined
  readonly task_type?: readonly string[] | undefined
  readonly assignee?: readonly string[] | undefined
  readonly delegate?: readonly string[] | undefined
  readonly created_by?: readonly string[] | undefined
  readonly parent?: readonly string[] | undefined
  readonly cycle?: readonly string[] | undefined
  readonly has_pr?: readonly string[] | undefined
}

/** The facts of a query, but for boards, parents and cycles, which services look up. `me` are the names of the caller. */
export function factsOf(query: FindQuery, me: readonly string[]): Facts {
  const people = (named: readonly string[] | undefined) =>
    named?.flatMap((name) => (name === 'me' ? me : /^\d/.test(name) ? [`member:${name}`] : [name]))
  return {
    label: query.label,
    priority: query.priority,
    task_type: query.task_type,
    assignee: people(query.assignee),
    delegate: people(query.delegate),
    created_by: people(query.created_by),
    has_pr: query.has_pr === undefined ? undefined : [String(query.has_pr)],
  }
}

export const hasFacts = ({ board: _, ...facts }: Facts): boolean =>
  Object.values(facts).some((values) => values !== undefined)

const markOf = (brandId: number, fact: string): string =>
  `'${`${brandId}#${fact}`.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`

/** A search query for rows with these facts, in the words of `boards.card_words`. Empty when none are asked for. */
export function queryOf(brandId: number, facts: Facts): string {
  const groups = Object.entries(facts).flatMap(([name, values]: [string, readonly string[] | undefined]) =>
    values === undefined ? [] : [values.map((value) => `${name}=${value}`)],
  )
  // A filter that names nothing finds nothing; no row has this mark.
  const anyOf = (group: readonly string[]) =>
    `(${(group.length === 0 ? ['nothing'] : group).map((fact) => markOf(brandId, fact)).join(' | ')})`
  return groups.map(anyOf).join(' & ')
}

/**
 * The same for cards that are not archived. The mark that every other card has would be read for each card of the
 * workspace; that of archived ones, for these alone.
 */
export const queryOfCards = (brandId: number, facts: Facts): string =>
  [queryOf(brandId, facts), `!${markOf(brandId, 'archived')}`].filter((each) => each !== '').join(' & ')
