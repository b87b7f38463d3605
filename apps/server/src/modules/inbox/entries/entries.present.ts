import type { InboxEntry } from '@crewhall/contracts/inbox/inbox.ts'
import type { EntryRow } from './entries.store.ts'

export const presentEntry = (row: EntryRow): InboxEntry => ({
  id: row.id,
  kind: row.kind,
  state: row.state,
  snoozed_until: row.state === 'snoozed' ? row.at : null,
  subject: { kind: row.subject_kind, id: row.subject_id },
  board_id: row.board_id,
  ref: row.ref,
  title: row.title,
  reason: row.reason,
  actor: row.actor,
  causes: row.causes,
  created_at: row.created_at,
  told_at: row.told_at,
})
