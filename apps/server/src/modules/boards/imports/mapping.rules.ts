import type { CardStatus } from '@crewhall/contracts/boards/card-fields.ts'
import type { NewCard } from '@crewhall/contracts/boards/cards.ts'
import { foldName } from '@crewhall/contracts/folding.ts'
import type { SourceCard } from './source-cards.rules.ts'

export interface MappedPerson {
  readonly name: string
  readonly rows: number
  readonly user_id: number | null
}
export interface MappedState {
  readonly name: string
  readonly rows: number
  readonly column_id: string | null
}
interface Member {
  readonly person_id: number
  readonly full_name: string
  readonly email: string
}
interface Column {
  readonly id: string
  readonly name_key: string
  readonly status: CardStatus
}

/** The member with this address or name, or else with this name before the @; nobody if there are two of them. */
export function guessPerson(members: readonly Member[], name: string): number | null {
  const key = foldName(name)
  const ways: ((member: Member) => string)[] = [
    ({ email }) => foldName(email),
    ({ full_name }) => foldName(full_name),
    ({ email }) => foldName(email.split('@', 1)[0] ?? ''),
  ]
  for (const way of ways) {
    const [found, another] = members.filter((member) => way(member) === key)
    if (found) return another ? null : found.person_id
  }
  return null
}

const meanings: readonly (readonly [CardStatus, readonly string[]])[] = [
  [
    'pending',
    ['open', 'opened', 'todo', 'to do', 'to-do', 'backlog', 'triage', 'unstarted', 'new', 'planned'],
  ],
  ['in_progress', ['in progress', 'started', 'doing', 'in development', 'active']],
  ['blocked', ['blocked', 'on hold', 'waiting']],
  ['review', ['review', 'in review', 'ready for review', 'testing', 'qa']],
  ['done', ['done', 'closed', 'completed', 'complete', 'resolved', 'merged', 'released', 'shipped']],
  [
    'canceled',
    ['canceled', 'cancelled', 'closed as not planned', 'duplicate', "won't do", 'wontfix', "won't fix"],
  ],
]

/** The column of that name, or else the first one whose cards have the status that the name means. */
export function guessColumn(columns: readonly Column[], name: string): string | null {
  const key = foldName(name)
  const named = columns.find(({ name_key }) => name_key === key)
  if (named) return named.id
  const status =
    columns.find((column) => column.status === key)?.status ??
    meanings.find(([, known]) => known.includes(key))?.[0]
  const fitting = columns.find((column) => column.status === status)
  // What is over without being done is over at least.
  const over = status === 'canceled' ? columns.find((column) => column.status === 'done') : undefined
  return (fitting ?? over)?.id ?? null
}

/** The card that a row becomes. */
export function orderOf(
  { card, client_ref, person, state }: SourceCard,
  people: readonly MappedPerson[],
  states: readonly MappedState[],
): NewCard {
  const user_id = people.find(({ name }) => name === person)?.user_id ?? null
  const column = states.find(({ name }) => name === state)?.column_id
  return {
    ...card,
    client_ref,
    ...(user_id === null ? {} : { assignee: { kind: 'member', id: user_id } }),
    ...(column ? { column } : {}),
  }
}
