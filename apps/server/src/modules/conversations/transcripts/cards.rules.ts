import type { Message, Role } from './transcript.rules.ts'

/** Who wrote something on a card; `guest` is an outside person with access to parts of the workspace. */
export type AuthorKind = 'member' | 'agent' | 'guest' | 'system'

export interface FinishedCard {
  readonly title: string
  readonly description: string
  readonly result: string
  /** Whose words title and description are. */
  readonly asked_by: AuthorKind
  readonly created_at: string
  readonly completed_at: string
  readonly runs: readonly CardRun[]
  readonly comments: readonly CardComment[]
}

export interface CardRun {
  readonly number: number
  readonly status: string
  readonly reason: string | null
  readonly summary: string
  readonly started_by: AuthorKind
  readonly finished_at: string
}

export interface CardComment {
  readonly author: AuthorKind
  readonly body: string
  readonly created_at: string
}

/**
 * Words of guests are never material for a memory: whoever is invited to one card must not be able to teach an agent
 * of the workspace. They come back as system text, which the filter drops and counts.
 */
const roles: Readonly<Record<AuthorKind, Role>> = {
  member: 'person',
  agent: 'agent',
  guest: 'system',
  system: 'system',
}

/**
 * A finished card as a conversation: what was asked first, runs and comments by time, the result last. Messages have no
 * ids, so they are recognised by their texts: what was reworded before the card is finished again is a new message.
 */
export function readCard(card: FinishedCard): Message[] {
  const said = [
    ...card.runs.map((run) => messageOf(run.started_by, runText(run), run.finished_at)),
    ...card.comments.map(({ author, body, created_at }) => messageOf(author, body, created_at)),
  ]
  return [
    messageOf(card.asked_by, joined([card.title, card.description], '\n\n'), card.created_at),
    ...said.toSorted((a, b) => compare(a.sent_at ?? '', b.sent_at ?? '')),
    // Guests cannot write it. Who did is not told; a worker, as a rule.
    messageOf('agent', card.result, card.completed_at),
  ].filter(({ text }) => text.trim() !== '')
}

const messageOf = (author: AuthorKind, text: string, sent_at: string): Message => ({
  id: null,
  role: roles[author],
  text,
  sent_at,
})

/** A run that says nothing about itself is not worth a message; its result alone is no memory. */
function runText(run: CardRun): string {
  const said = joined([run.summary, run.reason ?? ''], '\n')
  return said === '' ? '' : `Run ${run.number}, ${run.status}:\n${said}`
}

const joined = (parts: readonly string[], by: string): string =>
  parts.filter((part) => part.trim() !== '').join(by)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
