export type Role = 'person' | 'agent' | 'tool' | 'system'

export interface Message {
  readonly id: string | null
  readonly role: Role
  readonly text: string
  readonly sent_at: string | null
}

/** Why a record, or a part of one, is not among the messages. */
export type SkipReason =
  | 'broken_line'
  | 'duplicate'
  | 'sidechain'
  | 'other_branch'
  | 'thinking'
  | 'attachment'
  | 'delivery_copy'
  | 'bookkeeping'
  | 'unknown_record'
  | 'unknown_block'

/** What a native file holds; a broken last line is a file still being written. */
export interface Transcript {
  readonly external_id: string | null
  readonly messages: readonly Message[]
  readonly skipped: Readonly<Record<string, number>>
  readonly is_cut: boolean
}

/** Parts of one record share its id: the second and later ones get a number after it. */
export const numbered = (parts: readonly Message[]): Message[] =>
  parts.map((part, at) => (at === 0 || part.id === null ? part : { ...part, id: `${part.id}#${at}` }))

/** Counts by reason; reasons that never occurred are absent. */
export class Tally<Reason extends string> {
  readonly #counts = new Map<Reason, number>()

  add(reason: Reason, count = 1): void {
    if (count > 0) this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + count)
  }

  counts(): Partial<Record<Reason, number>> {
    return Object.fromEntries(this.#counts) as Partial<Record<Reason, number>>
  }
}
