import type { Member } from '@crewhall/contracts/workspaces/members.ts'
import { Camera, Ellipsis, IdCard, KeyRound, Mail, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useBrand, useMe } from '../../../app/session.ts'
import { useCanWrite } from '../../../live/live.tsx'
import { IconButton } from '../../../ui/button.tsx'
import { Confirm } from '../../../ui/dialog.tsx'
import { Menu, MenuItem, MenuLine } from '../../../ui/menu.tsx'
import { say } from '../../../ui/toast.tsx'
import { PasswordDialog, PositionDialog } from './member-dialogs.tsx'
import { usePeopleAct } from './people-data.ts'
import { PhotoDialog } from './photo-dialog.tsx'

interface MenuProps {
  readonly member: Member
  readonly isOnlyAdmin: boolean
}

type Asked = 'position' | 'password' | 'photo' | 'remove'

/** What an admin may do with a member, and with themselves. */
export function MemberMenu({ member, isOnlyAdmin }: MenuProps) {
  const { brand_id, name: workspace } = useBrand()
  const canWrite = useCanWrite()
  const [asked, setAsked] = useState<Asked>()
  const { user_id, name, email } = member
  const isMe = useMe().person.id === user_id
  const params = { brand_id, user_id: String(user_id) }
  const sendLink = usePeopleAct('The link was not sent', (_: undefined, api) =>
    api.resetMemberPassword({ params }),
  )
  const remove = usePeopleAct(isMe ? `You are still in ${workspace}` : `${name} was not removed`, (_, api) =>
    api.removeMember({ params }),
  )
  const dialog = (of: Asked) => ({
    open: asked === of,
    onOpenChange: (open: boolean) => setAsked(open ? of : undefined),
  })
  const link = () =>
    sendLink.mutate(undefined, {
      onSuccess: () => say(`A link is on its way to ${email}`, { note: 'It works once, for an hour.' }),
    })
  return (
    <>
      <Menu
        align="end"
        trigger={
          <IconButton label={`Actions for ${name}`}>
            <Ellipsis size={16} aria-hidden />
          </IconButton>
        }
      >
        <MenuItem icon={Mail} disabled={!canWrite} onSelect={link}>
          Send a password link
        </MenuItem>
        <MenuItem icon={KeyRound} disabled={!canWrite} onSelect={() => setAsked('password')}>
          Set a password
        </MenuItem>
        <MenuItem icon={Camera} disabled={!canWrite} onSelect={() => setAsked('photo')}>
          Change photo
        </MenuItem>
        <MenuItem icon={IdCard} disabled={!canWrite} onSelect={() => setAsked('position')}>
          Change position
        </MenuItem>
        <MenuLine />
        <MenuItem
          icon={Trash2}
          disabled={!canWrite || isOnlyAdmin}
          {...(isOnlyAdmin ? { note: 'A workspace keeps at least one admin' } : {})}
          onSelect={() => setAsked('remove')}
        >
          {isMe ? `Leave ${workspace}` : `Remove from ${workspace}`}
        </MenuItem>
      </Menu>
      <PositionDialog member={member} {...dialog('position')} />
      <PasswordDialog member={member} {...dialog('password')} />
      <PhotoDialog member={member} {...dialog('photo')} />
      <Confirm
        {...dialog('remove')}
        title={isMe ? `Leave ${workspace}?` : `Remove ${name} from ${workspace}?`}
        consequences={[
          `${isMe ? 'Your' : 'Their'} sessions and tokens stop working in ${workspace} at once.`,
          `What ${isMe ? 'you' : 'they'} wrote stays.`,
          isMe ? 'Only a new invitation lets you in again.' : 'They can be invited again.',
        ]}
        action={isMe ? `Leave ${workspace}` : 'Remove'}
        is_final
        busy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSettled: () => setAsked(undefined) })}
      />
    </>
  )
}
