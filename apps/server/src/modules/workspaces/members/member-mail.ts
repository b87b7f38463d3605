import { type Sender, writeLetter } from '#platform/letter/letter.ts'
import { oneLine } from '#platform/letter/one-line.ts'

interface To {
  readonly email: string
  readonly full_name: string
  readonly brand_name: string
}

/** MBR-25: says that the password changed, never what it is now. */
export function noticeLetter({ email, full_name, brand_name }: To, sender: Sender) {
  const brand = oneLine(brand_name)
  return writeLetter(
    {
      to: email,
      subject: 'Your password was changed',
      name: full_name,
      lines: [
        `An admin of ${brand} has set a new password for your account. You were signed out everywhere.`,
        'They will tell you the new password.',
      ],
      unexpected: `If you did not expect this, ask the admins of ${brand}, and reset your password.`,
    },
    sender,
  )
}
