import { foldName } from '@crewhall/contracts/folding.ts'
import { MailName } from '@crewhall/contracts/mailboxes/addresses.ts'

/**
 * Never anybody's own. RFC 2142 gives them to operators, certificate authorities prove the ownership of a
 * domain by mail to some of them, and readers trust the rest to speak for the service.
 */
export const roleNames: readonly string[] = (
  'abuse account accounts admin administrator alerts billing bounce bounces contact daemon dmarc ftp help ' +
  'hostmaster info legal mail mailer-daemon marketing news no-reply nobody noc noreply notifications office ' +
  'operator owner postmaster privacy root sales security ssladmin ssladministrator sslwebmaster staff status ' +
  'support sysadmin system team usenet uucp webmaster www'
).split(' ')

/** MAIL-16: 30 times 24 hours; a day or a month of a calendar may be longer or shorter. */
export const forwardingHours = 30 * 24
/** Together with the forwarding a year: longer than the reset links, invoices and habits of most senders. */
export const quarantineHours = 335 * 24
/** MAIL-G9: names of one person that take mail at a time. Each is kept from everybody else for a year. */
const maxNames = 3

const maxLength = 30

/** What a name may start from: the e-mail address as far as the rule for names allows it. */
export function deriveBase(email: string): string {
  const [local = ''] = email.split(/[@+]/, 1)
  const ascii = foldName(local).normalize('NFKD').replace(/\p{M}/gu, '')
  return trimmed(ascii.replace(/[^a-z0-9]+/g, '-'), maxLength) || 'person'
}

/** The base as it is, then with a number; undefined when that is no name. */
export function deriveName(base: string, number: number | undefined): string | undefined {
  const suffix = number === undefined ? '' : `-${number}`
  const name = `${trimmed(base, maxLength - suffix.length)}${suffix}`
  return MailName.safeParse(name).success ? name : undefined
}

/**
 * When somebody whose earlier names forward until these times, latest first, may take one more; undefined is now.
 * The present name is going to forward as well.
 */
export const nextNameAt = (forwards_until: readonly string[]): string | undefined =>
  forwards_until[maxNames - 2]

const trimmed = (text: string, length: number): string =>
  text.replace(/^-+/, '').slice(0, length).replace(/-+$/, '')
