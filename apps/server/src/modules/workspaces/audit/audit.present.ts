import type { AuditEntry } from '@crewhall/contracts/workspaces/audit.ts'
import type { AuditRow } from '#platform/audit/audit-list.ts'

export function presentEntry(row: AuditRow): AuditEntry {
  const { id, action, target, request_id, created_at, credential, actor_agent, actor_agent_id } = row
  const actor = {
    kind: row.actor_kind,
    user_id: row.actor_person_id,
    name: row.actor_name,
    ...(actor_agent === null ? {} : { agent: actor_agent }),
    ...(actor_agent_id === null ? {} : { agent_id: actor_agent_id }),
  }
  const shown = credential === null ? null : { kind: credential, id: row.credential_id }
  const change = { action, target, from: row.old_value, to: row.new_value }
  return { id, ...change, actor, credential: shown, request_id, created_at }
}
