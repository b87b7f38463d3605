import type { Actor, CardStatus, FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import {
  columnAndStatusDisagree,
  noColumnForStatus,
  noSuchColumn,
} from '@crewhall/contracts/boards/refusals.ts'
import { foldName } from '@crewhall/contracts/folding.ts'
import type { Refusal } from '@crewhall/contracts/refusal.ts'

export interface ColumnFacts {
  readonly id: string
  readonly name: string
  readonly name_key: string
  readonly status: CardStatus
  /** Set while the column is being removed: it accepts no more cards. */
  readonly moving_to: string | null
}

/** BRD-G7: by id or by name. BRD-29: the case of a name and blanks around it do not count, on either side. */
export const findColumnNamed = <C extends ColumnFacts>(columns: readonly C[], named: string): C | undefined =>
  columns.find(({ id }) => id === named.toLowerCase()) ??
  columns.find(({ name_key }) => name_key === foldName(named))

interface Wish {
  readonly column?: string | undefined
  readonly status?: CardStatus | undefined
}

/**
 * Where a card goes. BRD-21: a column and a status that do not go together are refused; BRD-G6: of only one of
 * them, the other follows. `from` is the column it is in now, or undefined for a new card.
 */
export function deriveColumn<C extends ColumnFacts>(
  all: readonly C[],
  from: C | undefined,
  { column, status }: Wish,
): C | Refusal {
  const columns = all.filter((each) => each.moving_to === null || each.id === from?.id)
  if (column !== undefined) {
    const named = findColumnNamed(columns, column)
    if (!named) return noSuchColumn()
    return status !== undefined && status !== named.status ? columnAndStatusDisagree() : named
  }
  if (from && (status === undefined || status === from.status)) return from
  const fitting = columns.find((each) => each.status === (status ?? 'pending'))
  return fitting ?? (status === undefined && columns[0] ? columns[0] : noColumnForStatus())
}

/** Whether a change may begin or end what others wait for, so that their boards are locked with that of the card. */
export const mayEnd = ({ column, status }: Wish): boolean => column !== undefined || status !== undefined

type Source = FullCard['source']

/** Texts of people outside the workspace: no agent takes up what they ask for by itself (decision 0022). */
export const isOutside = (source: Source): boolean => source === 'guest' || source === 'import'

/** Everything that a guest may put into words. */
const guestTexts = ['title', 'description', 'labels'] as const

type GuestTexts = Readonly<Partial<Record<(typeof guestTexts)[number], unknown>>>

/**
 * The source of the texts. Any word of a guest makes them a guest's, because a reader cannot know which; until a member
 * rewrites all of them. A rewrite by an agent does not count: it may only repeat what it read.
 */
export function deriveSource(
  before: (GuestTexts & { readonly source: Source }) | undefined,
  { kind }: Pick<Actor, 'kind'>,
  change: GuestTexts,
): Source {
  const own = kind === 'system' ? 'import' : kind
  if (before === undefined) return own
  const sent = guestTexts.filter((field) => change[field] !== undefined)
  const isTouched = sent.some((field) => canonical(change[field]) !== canonical(before[field]))
  if (own === 'guest') return isTouched ? own : before.source
  const isTaken = isOutside(before.source) && own === 'member' && sent.length === guestTexts.length
  return isTaken ? own : before.source
}

/** Boxes of a Markdown list, ticked or not. */
export function deriveChecklist(text: string): { checklist_total: number; checklist_done: number } {
  const boxes = [...text.matchAll(/^[ \t]*[-*+] \[([ xX])\](?= |$)/gm)]
  return { checklist_total: boxes.length, checklist_done: boxes.filter(([, mark]) => mark !== ' ').length }
}

/** Finished: it blocks no other card. */
export const isOver = (status: CardStatus): boolean => status === 'done' || status === 'canceled'

/** Times that follow from a change of status. A card that was canceled and is done after all is completed then. */
export function deriveTimes(
  before: { status: CardStatus; started_at: string | null; completed_at: string | null } | undefined,
  status: CardStatus,
  now: string,
): { started_at: string | null; completed_at: string | null } {
  const started_at = before?.started_at ?? (status === 'in_progress' ? now : null)
  const kept = before?.status === status ? before.completed_at : null
  return { started_at, completed_at: isOver(status) ? (kept ?? now) : null }
}

/** BRD-19: only what really changed, compared as the caller sees it. */
export function deriveChanged(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  fields: readonly string[],
): Record<string, { from: unknown; to: unknown }> {
  const changed = fields.filter((field) => canonical(before[field]) !== canonical(after[field]))
  return Object.fromEntries(changed.map((field) => [field, { from: before[field], to: after[field] }]))
}

/** The order of names inside an object is no difference. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  ) ?? 'undefined'

/** Adds microseconds to a time in the format of Postgres. */
export function laterBy(time: string, micros: number): string {
  const at = Date.parse(`${time.slice(0, 23)}Z`) * 1000 + Number(time.slice(23, 26)) + micros
  const millis = new Date(Math.floor(at / 1000)).toISOString().slice(0, 23)
  return `${millis}${String(at % 1000).padStart(3, '0')}Z`
}
