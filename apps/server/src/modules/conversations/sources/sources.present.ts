import type { Source, SourceConfig } from '@crewhall/contracts/conversations/sources.ts'
import { redactSecrets } from '@crewhall/contracts/redaction/redact-secrets.ts'
import { boardIdsOf } from './board-ids.rules.ts'
import { maskedConfig } from './config.rules.ts'
import type { SourceRow } from './sources.store.ts'

/** Ids of boards look like secrets and are none. */
function shownConfig({ source_type }: SourceRow, config: SourceConfig): Source['config'] {
  const masked = maskedConfig(config, (text) => redactSecrets(text).count > 0)
  const board_ids = source_type === 'agentboard' ? boardIdsOf(config) : undefined
  return { ...masked, ...(board_ids && { board_ids }) }
}

export const presentSource = (row: SourceRow, config: SourceConfig): Source => ({
  id: row.id,
  agent_id: row.agent_id,
  source_type: row.source_type,
  config: shownConfig(row, config),
  enabled: row.enabled,
  paused_reason: row.paused_reason,
  reading: row.reader === null ? null : presentReading(row),
  created_by: row.created_by,
  created_at: row.created_at,
  updated_at: row.updated_at,
})

const presentReading = (row: SourceRow): NonNullable<Source['reading']> => ({
  last_read_at: row.last_read_at,
  next_read_at: row.enabled ? row.next_read_at : null,
  failures: row.read_failures,
  reason: row.read_reason,
  skipped: { ...row.skipped },
})

/** For the audit log, which outlives the source: settings are not repeated there. */
export const auditedSource = ({ agent_id, source_type, enabled, paused_reason }: SourceRow) => ({
  agent_id,
  source_type,
  enabled,
  paused_reason,
})
