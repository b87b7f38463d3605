import type { Delivery } from '@crewhall/contracts/webhooks/deliveries.ts'
import type { DeliveryRow } from './deliveries.store.ts'

export function presentDelivery({ seq: _, ...row }: DeliveryRow): Delivery {
  const { id, event, board_id, status, attempts, next_attempt_at, last_attempt_at } = row
  const { last_status, last_error, created_at, delivered_at, tries } = row
  const state = { id, event, board_id, status, attempts, next_attempt_at, last_attempt_at }
  return { ...state, last_status, last_error, created_at, delivered_at, tries }
}
