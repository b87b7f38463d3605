import type { Message, Role } from './transcript.rules.ts'

/** Who wrote something on a card; `guest` is an outside person with access to parts of the workspace. */
export type AuthorKind = 'member' | 'agent' | 'guest' | 'system'

export interface FinishedCard {
  readonly id: string
  readonly title: string
  readonly description: string | null
  readonly created_by: AuthorKind
  readonly created_at: string
  readonly runs: readonly CardRun[]
  readonly comments: readonly CardComment[]
}

export interface CardRun {
  readonly id: string
  readonly number: number
  readonly status: string
  readonly reason: string | null
  readonly summary: string
  readonly started_by: AuthorKind
  readonly started_at: string
  readonly finished_at: string | null
}

export interface CardComment {
  readonly id: string
  readonly author: AuthorKind
  readonly text: string
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

/** A finished card as a conversation: what was asked first, then runs and comments by time. */
export function readCard(card: FinishedCard): Message[] {
  const role = roles[card.created_by]
  const asked = [card.title, card.description ?? ''].filter((part) => part.trim() !== '').join('\n\n')
  const said = [
    ...card.runs.map(
      (run): Message => ({
        id: `run:${run.id}`,
        role: roles[run.started_by],
        text: runText(run),
        sent_at: run.finished_at ?? run.started_at,
      }),
    ),
    ...card.comments.map(
      (comment): Message => ({
        id: `comment:${comment.id}`,
        role: roles[comment.author],
        text: comment.text,
        sent_at: comment.created_at,
      }),
    ),
  ]
  const inOrder = said.toSorted(
    (a, b) => compare(a.sent_at ?? '', b.sent_at ?? '') || compare(a.id ?? '', b.id ?? ''),
  )
  return [{ id: `card:${card.id}`, role, text: asked, sent_at: card.created_at }, ...inOrder].filter(
    ({ text }) => text.trim() !== '',
  )
}

/** A run that says nothing about itself is not worth a message; its result alone is no memory. */
function runText(run: CardRun): string {
  const said = [run.summary, run.reason ?? ''].filter((part) => part.trim() !== '')
  return said.length === 0 ? '' : [`Run ${run.number}, ${run.status}:`, ...said].join('\n')
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
