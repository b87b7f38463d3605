import type { Invitation } from '@crewhall/contracts/workspaces/invitations.ts'
import type { InvitationRow } from './invitations.store.ts'

export function presentInvitation(row: InvitationRow): Invitation {
  const { id, email, role, status, delivery, expires_at, created_at } = row
  return { id, email, role, status, delivery, expires_at, created_at }
}
