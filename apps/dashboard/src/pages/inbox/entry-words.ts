import type { InboxEntry, InboxKind } from '@crewhall/contracts/inbox/inbox.ts'
import { clockTime } from '../../app/times.ts'
import { actorName } from '../../work/who.tsx'

export const kindWords: Readonly<Record<InboxKind, string>> = {
  asks_you: 'Asks you',
  review_wanted: 'Waits for your review',
  broke: 'Broke',
  mentioned: 'Mentions you',
  assigned: 'Assigned to you',
}

/** Events outside boards have their type for a title. */
const eventWords: Readonly<Record<string, string>> = {
  'memory.conflict': 'Two memories contradict each other',
  'conversation.failed': 'A conversation could not be read',
  'index.failed': 'The code of a project could not be indexed',
  'install.changed': 'The tools of a package have changed',
  'desk.lost': 'A machine was lost',
  'desk.quarantined': 'Two machines have one identity',
  'desk.update_failed': 'The update of a machine failed',
}

const subjectWords: Readonly<Record<InboxEntry['subject']['kind'], string>> = {
  task: 'Card',
  memory: 'Memory of the agent',
  source: 'Source of conversations',
  desk: 'Machine',
  project: 'Project',
  install: 'Package',
}

export const isOfCard = ({ subject }: InboxEntry): boolean => subject.kind === 'task'
const eventWord = (type: string): string => eventWords[type] ?? type.replaceAll(/[._]/g, ' ')
const who = ({ actor }: InboxEntry): string => (actor === null ? 'Crewhall' : actorName(actor))
export const refOf = ({ ref, subject }: InboxEntry): string => ref ?? subject.id

/** "Pike asks: are weekend rates net?" on a card is "Are weekend rates net?" where Pike is named beside it. */
export function asked(question: string, { actor }: InboxEntry): string {
  const start = `${actor?.name ?? ''} asks: `
  if (!question.startsWith(start) || question === start) return question
  const rest = question.slice(start.length)
  return rest.charAt(0).toUpperCase() + rest.slice(1)
}

/** What an entry says in two lines. */
export function rowWords(entry: InboxEntry): readonly [string, string] {
  const { kind, title, reason } = entry
  if (!isOfCard(entry)) return [eventWord(title), `${subjectWords[entry.subject.kind]} ${entry.subject.id}`]
  const ref = refOf(entry)
  switch (kind) {
    case 'asks_you':
      return [
        reason === null ? title : asked(reason.split('\n', 1)[0] ?? '', entry),
        `${who(entry)} on ${ref}, waits since ${sinceWord(entry.told_at)}`,
      ]
    case 'review_wanted':
      return [title, `${ref} by ${who(entry)}`]
    case 'broke':
      return [title, reason === null ? `A run on ${ref} broke` : `${ref}: ${reason}`]
    case 'mentioned':
      return [`${who(entry)} mentioned you on ${ref}`, reason ?? title]
    default:
      return [`${who(entry)} assigned ${ref} to you`, title]
  }
}

/** The heading of the entry beside the list. */
export function headWords(entry: InboxEntry): string {
  if (!isOfCard(entry)) return eventWord(entry.title)
  const ref = refOf(entry)
  const words: Readonly<Record<InboxKind, string>> = {
    asks_you: `${who(entry)} asks about ${ref}`,
    review_wanted: `${who(entry)} wants a review of ${ref}`,
    broke: `A run on ${ref} broke`,
    mentioned: `${who(entry)} mentioned you on ${ref}`,
    assigned: `${who(entry)} assigned ${ref} to you`,
  }
  return words[entry.kind]
}

/** `09:10` today, then `12 Nov`. */
export function sinceWord(at: string): string {
  const day = new Date(at)
  const isToday = day.toDateString() === new Date().toDateString()
  return isToday
    ? clockTime(day.getTime())
    : day.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })
}
