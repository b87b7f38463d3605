import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import type { InboxKind } from '@crewhall/contracts/inbox/inbox.ts'
import type { BrandTx, EventListener } from '#platform/ctx/ctx.ts'
import { deriveNotices } from './notices.rules.ts'
import * as store from './telling.store.ts'

/** Something about a card that a member should see. */
export interface CardNotice {
  readonly person_id: number
  readonly kind: InboxKind
  readonly card_id: string
  readonly board_id: string
  readonly ref: string
  readonly title: string
  readonly reason: string | null
  readonly actor: Actor
}

const reasonCharacters = 500

/**
 * Part of the transaction of its cause: both commit or neither does. Whoever is no active member is left out. Sends one
 * statement and waits for nothing before.
 */
export async function tellOfCards(ctx: BrandTx, notices: readonly CardNotice[]): Promise<void> {
  if (notices.length === 0) return
  const rows = notices.map(({ card_id, actor, reason, ...rest }) => ({
    ...rest,
    subject_kind: 'task',
    subject_id: card_id,
    reason: reason === null ? null : Array.from(reason).slice(0, reasonCharacters).join('') || null,
    actor,
    by_person: personOf(actor),
    for_admins: false,
  }))
  // The last one of each: a statement writes a row once.
  const byKey = new Map(rows.map((row) => [`${row.person_id} ${row.kind} ${row.subject_id}`, row]))
  await store.upsertEntries(ctx, [...byKey.values()])
}

/** What was wanted has happened, whoever did it. */
export const settleCard = async (
  ctx: BrandTx,
  card_id: string,
  kinds: readonly InboxKind[],
): Promise<void> => {
  await store.updateSettled(ctx, { subject_kind: 'task', subject_id: card_id, kinds })
}

/** The person who acts, or for whom an agent does. */
function personOf({ kind, id, on_behalf_of }: Actor): number | null {
  const person = kind === 'agent' ? on_behalf_of?.id : kind === 'system' ? undefined : id
  return person === undefined ? null : Number(person)
}

/** Admins hear of what broke outside boards, in the transaction of the event. */
export const tellAdmins: EventListener = {
  async happened(ctx, events) {
    const notices = deriveNotices(events)
    if (notices.length > 0) await store.upsertEntries(ctx, notices)
  },
}
