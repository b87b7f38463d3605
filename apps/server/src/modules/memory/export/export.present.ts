import type { MemoryFile } from '@crewhall/contracts/memory/memory-file.ts'
import type { ExportRow } from './exports.store.ts'

export const presentFile = (
  row: ExportRow,
  { agent_id, path, is_on }: { agent_id: string; path: string; is_on: boolean },
): MemoryFile => ({
  agent_id,
  state: is_on ? row.state : 'off',
  reason: is_on ? row.reason : null,
  path,
  memories: row.memory_ids.length,
  lines: row.lines,
  bytes: row.bytes,
  is_due: is_on && row.is_due,
  written_at: row.written_at,
  checked_at: row.checked_at,
})
