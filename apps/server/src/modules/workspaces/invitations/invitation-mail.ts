import { mailText, oneLine } from '../mail-text.ts'

interface To {
  readonly email: string
  readonly brand_name: string
  readonly role: 'admin' | 'member'
  readonly days: number
}

export function invitationLetter({ email, brand_name, role, days }: To, url: string) {
  const lines = [
    `You are invited to the workspace ${brand_name}, as ${role === 'admin' ? 'an admin' : 'a member'}.`,
    `The link works once, within ${days} days. If you did not expect it, do nothing.`,
  ]
  const letter = mailText({ name: email, lines, link: { label: 'Join the workspace', url } })
  return { to: email, subject: `Invitation to ${oneLine(brand_name)}`, ...letter }
}
