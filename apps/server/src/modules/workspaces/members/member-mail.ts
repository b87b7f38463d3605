import { mailText } from '../mail-text.ts'

interface To {
  readonly email: string
  readonly full_name: string
  readonly brand_name: string
}

/** MBR-20. */
export function resetLetter({ email, full_name, brand_name }: To, url: string) {
  const lines = [
    `An admin of ${brand_name} asked us to send you a link with which you choose a new password.`,
    'It works once, within an hour. Older links do not work any more.',
  ]
  const letter = mailText({ name: full_name, lines, link: { label: 'Choose a new password', url } })
  return { to: email, subject: 'Choose a new password', ...letter }
}

/** MBR-25: tells that the password changed, and never what it is now. */
export function noticeLetter({ email, full_name, brand_name }: To) {
  const lines = [
    `An admin of ${brand_name} has set a new password for your account. You were signed out everywhere.`,
    'They will tell you the new password. If you did not expect this, ask them.',
  ]
  return { to: email, subject: 'Your password was changed', ...mailText({ name: full_name, lines }) }
}
