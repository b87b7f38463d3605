import { type WorkspaceEventType, workspaceEvents } from '@crewhall/contracts/events.ts'
import type { InboxKind, InboxSubject } from '@crewhall/contracts/inbox/inbox.ts'

interface Told {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

/** What admins hear of events outside boards. `id` names the field that the entry is about. */
const told: Partial<Record<WorkspaceEventType, { kind: InboxKind; subject: InboxSubject; id: string }>> = {
  'memory.conflict': { kind: 'asks_you', subject: 'memory', id: 'agent_id' },
  'conversation.failed': { kind: 'broke', subject: 'source', id: 'source_id' },
  'index.failed': { kind: 'broke', subject: 'project', id: 'project_id' },
  'install.changed': { kind: 'asks_you', subject: 'install', id: 'install_id' },
  'desk.lost': { kind: 'broke', subject: 'desk', id: 'workstation_id' },
  'desk.quarantined': { kind: 'broke', subject: 'desk', id: 'workstation_id' },
  'desk.update_failed': { kind: 'broke', subject: 'desk', id: 'workstation_id' },
}

/** One for each subject and kind: a statement writes a row once. The type of the event stands for a title. */
export function deriveNotices(events: readonly Told[]) {
  const notices = new Map<string, object>()
  for (const { type, data } of events) {
    const found = told[type as WorkspaceEventType]
    if (!found) continue
    const fields = data.data as Readonly<Record<string, unknown>>
    const subject_id = String(fields[found.id])
    const { scope } = workspaceEvents[type as WorkspaceEventType]
    notices.set(`${found.kind} ${found.subject} ${subject_id}`, {
      person_id: null,
      kind: found.kind,
      subject_kind: found.subject,
      subject_id,
      title: type,
      scope,
      for_admins: true,
    })
  }
  return [...notices.values()]
}
