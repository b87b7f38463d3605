import type { MemoryState } from '@crewhall/contracts/memory/fields.ts'
import type { MemoryChangeEntry } from '@crewhall/contracts/memory/history.ts'
import type { ChangeRow, Snapshot } from './history.store.ts'

export const presentChange = ({ before, after, ...row }: ChangeRow): MemoryChangeEntry => ({
  version: row.version,
  action: row.action,
  actor: row.actor,
  reason: row.reason,
  before: before && presentState(before),
  after: after && presentState(after),
  created_at: row.created_at,
})

const presentState = (state: Snapshot): MemoryState => ({
  agent_id: state.agent_id,
  kind: state.kind,
  title: state.title,
  body: state.body,
  description: state.description,
  confidence: state.confidence,
  tags: [...state.tags],
  importance: state.importance,
  status: state.status,
  is_locked: state.is_locked,
  superseded_by: state.superseded_by ?? null,
  last_verified_at: state.verified_at,
})
