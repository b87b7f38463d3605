import { useState } from 'react'
import { useBrand } from '../../../app/session.ts'
import { SettingsLayout } from '../settings-layout.tsx'
import { InvitationList } from './invitation-list.tsx'
import { InviteButton, InviteDialog } from './invite-dialog.tsx'

export function InvitationsPage() {
  const { isAdmin } = useBrand()
  const [isInviting, setInviting] = useState(false)
  const invite = () => setInviting(true)
  return (
    <SettingsLayout title="Invitations" actions={isAdmin && <InviteButton onClick={invite} />}>
      <InvitationList onInvite={invite} />
      <InviteDialog open={isInviting} onOpenChange={setInviting} />
    </SettingsLayout>
  )
}
