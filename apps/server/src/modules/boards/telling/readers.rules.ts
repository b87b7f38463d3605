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

/** Whom a card concerns: its assignee, and whoever requested it. */
export function readersOf({ assignee, reporter }: Responsible, by: Actor): number[] {
  const people = [memberBehind(assignee), memberBehind(reporter)].filter((id) => id !== undefined)
  return [...new Set(people)].filter((id) => !isSelf(by, id))
}

interface CardFacts extends Responsible {
  readonly status: CardStatus
  readonly blocked_reason: string | null
}

/** Whom a change of a card concerns, and how; a new card was nobody's before. */
export function deriveWanted(
  before: Omit<CardFacts, 'reporter'> | undefined,
  after: CardFacts,
  by: Actor,
): Wanted[] {
  const wanted: Wanted[] = []
  const assigned = after.assignee?.kind === 'member' ? Number(after.assignee.id) : undefined
  const isNew = before?.assignee?.kind !== 'member' || before.assignee.id !== after.assignee?.id
  if (assigned !== undefined && isNew && !isSelf(by, assigned))
    wanted.push({ person_id: assigned, kind: 'assigned', reason: null })
  const isTurn = before?.status !== after.status
  const isAsked = before?.blocked_reason !== after.blocked_reason && after.blocked_reason !== null
  if ((isTurn && after.status === 'blocked') || isAsked)
    for (const person_id of readersOf(after, by))
      wanted.push({ person_id, kind: 'asks_you', reason: after.blocked_reason })
  if (isTurn && after.status === 'review')
    for (const person_id of readersOf(after, by))
      wanted.push({ person_id, kind: 'review_wanted', reason: null })
  return wanted
}

/** What a change has settled: nobody waits for an answer or a review any more. */
export function deriveSettled(
  before: Pick<CardFacts, 'status' | 'blocked_reason'>,
  after: Pick<CardFacts, 'status' | 'blocked_reason'>,
): InboxKind[] {
  const asks = ({ status, blocked_reason }: typeof before) => status === 'blocked' || blocked_reason !== null
  const settled: InboxKind[] = []
  if (before.status === 'review' && after.status !== 'review') settled.push('review_wanted')
  if (asks(before) && !asks(after)) settled.push('asks_you')
  return settled
}
