import type { Source, SourceConfig } from '@crewhall/contracts/conversations/sources.ts'
import { redactSecrets } from '../transcripts/secrets.rules.ts'
import { maskedConfig } from './config.rules.ts'
import type { SourceRow } from './sources.store.ts'

export const presentSource = (row: SourceRow, config: SourceConfig): Source => ({
  id: row.id,
  agent_id: row.agent_id,
  source_type: row.source_type,
  config: { ...maskedConfig(config, (text) => redactSecrets(text).count > 0) },
  enabled: row.enabled,
  paused_reason: row.paused_reason,
  created_by: row.created_by,
  created_at: row.created_at,
  updated_at: row.updated_at,
})

/** For the audit log, which outlives the source: settings are not repeated there. */
export const auditedSource = ({ agent_id, source_type, enabled, paused_reason }: SourceRow) => ({
  agent_id,
  source_type,
  enabled,
  paused_reason,
})
