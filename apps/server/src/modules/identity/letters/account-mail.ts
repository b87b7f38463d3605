import { type Sender, writeLetter } from '#platform/letter/letter.ts'

interface To {
  readonly email: string
  readonly full_name: string
}

/** To the minute, with the zone: enough to remember what one did then. */
const formatTime = (at: string): string => `${at.slice(0, 10)} at ${at.slice(11, 16)} UTC`
const notYou = 'If this was not you, choose a new password now. This signs everyone else out.'
const again = ({ public_url }: Sender) => ({
  label: 'Choose a new password',
  url: `${public_url}/dashboard/reset`,
})

export interface SignIn {
  readonly at: string
  readonly client?: string | null | undefined
  readonly network?: string | null | undefined
}

export function signInLetter({ email, full_name }: To, { at, client, network }: SignIn, sender: Sender) {
  const from = [client && `with ${client}`, network && `from the network ${network}`].filter(Boolean)
  return writeLetter(
    {
      to: email,
      subject: 'New sign-in to your account',
      name: full_name,
      lines: [
        `Someone signed in to your account on ${formatTime(at)}${from.length > 0 ? `, ${from.join(' ')}` : ''}.`,
        'You have not signed in from there recently. If it was you, you can ignore this e-mail.',
      ],
      action: again(sender),
      unexpected: notYou,
    },
    sender,
  )
}

export interface ApprovedDevice extends SignIn {
  /** What the program has said about itself. */
  readonly host?: string | null | undefined
  /** Null for a session. */
  readonly scopes?: readonly string[] | null | undefined
}

export function deviceLetter(
  { email, full_name }: To,
  { at, host, client, network, scopes }: ApprovedDevice,
  sender: Sender,
) {
  const what = scopes
    ? `It got an access token with ${scopes.length > 0 ? `the scopes ${scopes.join(', ')}` : 'no scopes'}.`
    : 'It is signed in as you, and can do what you can do.'
  const from = [
    host && `on a computer that calls itself ${host}`,
    client && `with ${client}`,
    network && `from ${network}`,
  ].filter(Boolean)
  return writeLetter(
    {
      to: email,
      subject: scopes ? 'A program got an access token of yours' : 'A program was signed in to your account',
      name: full_name,
      lines: [
        `You approved a program with a code on ${formatTime(at)}${from.length > 0 ? `: ${from.join(', ')}` : ''}.`,
        what,
        'If it was you, you can ignore this e-mail.',
      ],
      action: again(sender),
      unexpected: `${notYou} Then revoke tokens that you do not know in the settings.`,
    },
    sender,
  )
}

/** Says that it changed, never what it is now. */
export function passwordLetter({ email, full_name }: To, at: string, sender: Sender) {
  return writeLetter(
    {
      to: email,
      subject: 'Your password was changed',
      name: full_name,
      lines: [
        `The password of your account was changed on ${formatTime(at)}. You were signed out everywhere else.`,
        'If it was you, you can ignore this e-mail.',
      ],
      action: again(sender),
      unexpected: notYou,
    },
    sender,
  )
}
