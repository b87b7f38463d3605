import { type Sender, writeLetter } from '#platform/letter/letter.ts'
import { oneLine } from '#platform/letter/one-line.ts'

interface To {
  readonly email: string
  readonly full_name: string
  /** The workspace whose admin asked for it; undefined when the person did. */
  readonly brand_name?: string
}

/** MBR-20. The same e-mail, whether the person or an admin asked for it. */
export function resetLetter({ email, full_name, brand_name }: To, secret: string, sender: Sender) {
  const who = brand_name === undefined ? 'You' : `An admin of ${oneLine(brand_name)}`
  return writeLetter(
    {
      to: email,
      subject: 'Choose a new password',
      name: full_name,
      lines: [
        `${who} asked us to send you a link to choose a new password.`,
        'It works once and expires in an hour. Older links no longer work.',
      ],
      action: { label: 'Choose a new password', url: `${sender.public_url}/dashboard/reset?token=${secret}` },
      unexpected: 'If you did not expect this, do nothing: your password stays as it is.',
    },
    sender,
  )
}
