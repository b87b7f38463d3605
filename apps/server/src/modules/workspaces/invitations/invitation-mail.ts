import { type Sender, writeLetter } from '#platform/letter/letter.ts'
import { oneLine } from '#platform/letter/one-line.ts'

interface Invited {
  readonly email: string
  readonly brand_name: string
  readonly role: 'admin' | 'member'
  /** Who sent it last; undefined if no person did. */
  readonly inviter: { readonly full_name: string; readonly email: string } | undefined
  readonly days: number
}

export function invitationLetter(invited: Invited, url: string, sender: Sender) {
  const [brand, role] = [oneLine(invited.brand_name), invited.role === 'admin' ? 'an admin' : 'a member']
  const who = invited.inviter
    ? `${oneLine(invited.inviter.full_name)} (${invited.inviter.email}) invites`
    : 'We invite'
  return writeLetter(
    {
      to: invited.email,
      subject: `Invitation to ${brand}`,
      lines: [
        `${who} you to the workspace ${brand} on ${oneLine(sender.service_name)}, as ${role}.`,
        `The link works once and expires in ${invited.days} days.`,
      ],
      action: { label: 'Join the workspace', url },
      unexpected: 'If you do not know the sender, ignore this e-mail: nobody can join without the link.',
    },
    sender,
  )
}
