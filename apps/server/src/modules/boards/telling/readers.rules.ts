import type { Actor, CardStatus, Worker } from '@crewhall/contracts/boards/card-fields.ts'
import type { InboxKind } from '@crewhall/contracts/inbox/inbox.ts'

export interface Wanted {
  readonly person_id: number
  readonly kind: InboxKind
  readonly reason: string | null
}

interface Responsible {
  readonly assignee: Worker | null
  readonly reporter: Actor
}

/** The member behind somebody: themselves, or the person for whom an agent acts. A guest has no inbox. */
function memberBehind(who: Worker | Actor | null): number | undefined {
  if (who === null || who.kind === 'guest' || who.kind === 'system') return undefined
  if (who.kind === 'member') return Number(who.id)
  const person = 'on_behalf_of' in who ? who.on_behalf_of?.id : undefined
  return person === undefined ? undefined : Number(person)
}

/** Nobody is told what they did themselves; what their agent did, they are. */
const isSelf = ({ kind, id }: Actor, person_id: number): boolean =>
  kind === 'member' && Number(id) === person_id

/** A member who joined a card, or left it. */
export interface WatcherFacts {
  readonly person_id: number
  readonly is_watching: boolean
}

/** Whom a card concerns: its assignee, whoever requested it, and those who joined; but nobody who left. */
export function watchersOf({ assignee, reporter }: Responsible, rows: readonly WatcherFacts[]): number[] {
  const left = new Set(rows.filter(({ is_watching }) => !is_watching).map(({ person_id }) => person_id))
  const joined = rows.filter(({ is_watching }) => is_watching).map(({ person_id }) => person_id)
  const people = [memberBehind(assignee), memberBehind(reporter), ...joined].filter((id) => id !== undefined)
  return [...new Set(people)].filter((id) => !left.has(id))
}

export const readersOf = (card: Responsible, rows: readonly WatcherFacts[], by: Actor): number[] =>
  watchersOf(card, rows).filter((id) => !isSelf(by, id))

/** Whom a text mentions, but for its author. */
export const wantedBy = (people: readonly number[], by: Actor): Wanted[] =>
  people.filter((id) => !isSelf(by, id)).map((person_id) => ({ person_id, kind: 'mentioned', reason: null }))

interface CardFacts extends Responsible {
  readonly status: CardStatus
  readonly blocked_reason: string | null
}

type Turn = Pick<CardFacts, 'status' | 'blocked_reason'>

const wantsReviewNow = (before: Turn | undefined, { status }: Turn): boolean =>
  status === 'review' && before?.status !== status
const asksNow = (before: Turn | undefined, { status, blocked_reason }: Turn): boolean =>
  (status === 'blocked' && before?.status !== status) ||
  (blocked_reason !== null && before?.blocked_reason !== blocked_reason)

/** Whether a change is one that watchers are told of. */
export const concernsWatchers = (before: Turn, after: Turn): boolean =>
  asksNow(before, after) || wantsReviewNow(before, after)

/** Whom a change of a card concerns, and how; a new card was nobody's before. */
export function deriveWanted(
  before: Omit<CardFacts, 'reporter'> | undefined,
  after: CardFacts,
  by: Actor,
  rows: readonly WatcherFacts[] = [],
): Wanted[] {
  const wanted: Wanted[] = []
  const assigned = after.assignee?.kind === 'member' ? Number(after.assignee.id) : undefined
  const isNew = before?.assignee?.kind !== 'member' || before.assignee.id !== after.assignee?.id
  if (assigned !== undefined && isNew && !isSelf(by, assigned))
    wanted.push({ person_id: assigned, kind: 'assigned', reason: null })
  if (asksNow(before, after))
    for (const person_id of readersOf(after, rows, by))
      wanted.push({ person_id, kind: 'asks_you', reason: after.blocked_reason })
  if (wantsReviewNow(before, after))
    for (const person_id of readersOf(after, rows, by))
      wanted.push({ person_id, kind: 'review_wanted', reason: null })
  return wanted
}

/** What a change has settled: nobody waits for an answer or a review any more. */
export function deriveSettled(before: Turn, after: Turn): InboxKind[] {
  const asks = ({ status, blocked_reason }: Turn) => status === 'blocked' || blocked_reason !== null
  const settled: InboxKind[] = []
  if (before.status === 'review' && after.status !== 'review') settled.push('review_wanted')
  if (asks(before) && !asks(after)) settled.push('asks_you')
  return settled
}
