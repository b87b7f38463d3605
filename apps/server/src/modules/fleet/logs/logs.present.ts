import type { LogStatus, MachineLogs } from '@crewhall/contracts/fleet/logs.ts'
import type { LogRow } from './logs.store.ts'

export function statusOf({ error, received_at }: Pick<LogRow, 'error' | 'received_at'>): LogStatus {
  if (error !== null) return 'failed'
  return received_at === null ? 'waiting' : 'received'
}

const nothing = {
  status: 'none' as const,
  error: null,
  requested_by: null,
  requested_at: null,
  received_at: null,
  expires_at: null,
  text: null,
}

/** Nobody else is known of a person whose account is gone. */
export const presentLogs = (machine_id: string, row: LogRow | undefined, name = ''): MachineLogs =>
  row
    ? {
        machine_id,
        status: statusOf(row),
        error: row.error,
        requested_by: { user_id: row.requested_by, name },
        requested_at: row.requested_at,
        received_at: row.received_at,
        expires_at: row.expires_at,
        text: row.content,
      }
    : { machine_id, ...nothing }
