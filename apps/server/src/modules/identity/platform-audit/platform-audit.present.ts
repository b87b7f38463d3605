import type { PlatformEntry } from '@crewhall/contracts/identity/platform-audit.ts'
import type { PlatformEntryRow } from './platform-audit.store.ts'

export function presentPlatformEntry(row: PlatformEntryRow): PlatformEntry {
  const { id, action, person_id, old_value: from, new_value: to, network, request_id, created_at } = row
  const actor = { kind: row.actor_kind, person_id: row.actor_person_id }
  return { id, action, person_id, from, to, actor, network, request_id, created_at }
}
