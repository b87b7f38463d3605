import type { Webhook } from '@crewhall/contracts/webhooks/webhooks.ts'
import type { EndpointRow, EndpointSettings } from './endpoints.store.ts'

export function presentWebhook(row: EndpointRow): Webhook {
  const { id, url, events, board_ids, description, disabled_reason, failing_since } = row
  const { old_secret_until, created_at, updated_at } = row
  const settings = { id, url, events, board_ids, description, enabled: row.is_enabled }
  return { ...settings, disabled_reason, failing_since, old_secret_until, created_at, updated_at }
}

/** For the audit log, which later admins read too: paths of receivers are often secrets. */
export function auditedSettings({ url, events, board_ids, description, is_enabled }: EndpointSettings) {
  return { host: new URL(url).host, events, board_ids, description, enabled: is_enabled }
}
