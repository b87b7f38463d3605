import type { GuestKind } from '@crewhall/contracts/workspaces/guests.ts'
import { type Sender, writeLetter } from '#platform/letter/letter.ts'
import { oneLine } from '#platform/letter/one-line.ts'

interface Admitted {
  readonly email: string
  readonly full_name: string
  readonly brand_name: string
  readonly inviter: string | undefined
  readonly kind: GuestKind
  readonly resource_id: string
  readonly name: string
  readonly role: string | null
}

const nouns = { board: 'board', docs: 'docs space' } as const satisfies Record<GuestKind, string>

/** The page of the dashboard that shows it to guests. */
const pages = { board: 'boards', docs: 'docs' } as const satisfies Record<GuestKind, string>

const rights: Readonly<Record<string, string>> = {
  viewer: 'You can read it',
  commenter: 'You can read it and comment on it',
  editor: 'You can read and edit it',
}

export function guestLetter(admitted: Admitted, sender: Sender) {
  const [what, brand] = [oneLine(admitted.name), oneLine(admitted.brand_name)]
  const may = rights[admitted.role ?? ''] ?? 'You can open it'
  return writeLetter(
    {
      to: admitted.email,
      subject: `${what} is shared with you`,
      name: admitted.full_name,
      lines: [
        `${admitted.inviter ? oneLine(admitted.inviter) : 'An admin'} of the workspace ${brand} has shared the ${nouns[admitted.kind]} ${what} with you.`,
        `${may} until they revoke your access. Sign in with this address to open it.`,
      ],
      action: {
        label: `Open the ${nouns[admitted.kind]}`,
        url: `${sender.public_url}/dashboard/shared/${pages[admitted.kind]}/${admitted.resource_id}`,
      },
      unexpected: 'If you do not know the sender, ignore this e-mail.',
    },
    sender,
  )
}
