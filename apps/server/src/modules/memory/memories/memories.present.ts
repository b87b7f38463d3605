import type { Memory, MemoryEntry } from '@crewhall/contracts/memory/fields.ts'
import { shownConfidence } from './confidence.rules.ts'
import type { EntryRow, MemoryRow } from './memories.store.ts'

export const presentEntry = (row: EntryRow, now: Date): MemoryEntry => ({
  id: row.id,
  agent_id: row.agent_id,
  kind: row.kind,
  title: row.title,
  description: row.description,
  confidence: shownConfidence(row, now),
  tags: [...row.tags],
  importance: row.importance,
  status: row.status,
  merged_into: row.merged_into,
  version: row.version,
  is_locked: row.is_locked,
  superseded_by: row.superseded_by,
  created_by: row.created_by,
  updated_by: row.updated_by,
  created_at: row.created_at,
  updated_at: row.updated_at,
  last_verified_at: row.verified_at,
})

export const presentMemory = (row: MemoryRow, now: Date): Memory => ({
  ...presentEntry(row, now),
  body: row.body,
  evidence: [...row.evidence],
})
