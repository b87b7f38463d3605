import { type Sender, writeLetter } from '#platform/letter/letter.ts'

interface To {
  readonly email: string
  readonly full_name: string
}

export function proofLetter({ email, full_name }: To, secret: string, days: number, sender: Sender) {
  return writeLetter(
    {
      to: email,
      subject: 'Confirm your e-mail address',
      name: full_name,
      lines: [
        'An account was created with this e-mail address.',
        `Sign in and confirm within ${days} days that the address is yours.`,
      ],
      action: {
        label: 'Confirm this address',
        url: `${sender.public_url}/dashboard/confirm?token=${secret}`,
      },
      unexpected: `If you did not create this account, someone else did. Do not confirm it. To take it over, choose a new password, which signs everyone else out: ${sender.public_url}/dashboard/reset`,
    },
    sender,
  )
}
