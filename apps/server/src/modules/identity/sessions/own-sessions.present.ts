import type { OwnSession } from '@crewhall/contracts/identity/own-sessions.ts'
import type { OwnSessionRow } from './own-sessions.store.ts'

export function presentOwnSession(row: OwnSessionRow, current_id: number): OwnSession {
  const { id, created_at, last_used_on, expires_at, client, network } = row
  return { id, current: id === current_id, created_at, last_used_on, expires_at, client, network }
}
