import { type Hook, receiveDelivery } from '@crewhall/contracts/boards/hooks.ts'
import type { HookRow } from './hooks.store.ts'

export function presentHook(row: HookRow): Hook {
  const { id, service, url, board_ids, old_secret_until, created_at, updated_at } = row
  const path = receiveDelivery.path.replace('{hook_id}', id)
  const { last_event: event, last_result: result, last_at: received_at } = row
  const last_delivery =
    event === null || result === null || received_at === null ? null : { event, result, received_at }
  return { id, service, url, board_ids, path, old_secret_until, last_delivery, created_at, updated_at }
}
