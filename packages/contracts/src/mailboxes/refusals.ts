import { refusal, refusalOf } from '../refusal.ts'

/** MAIL-G6, MAIL-G7, C8: the interface leaves the word for the service open; it is a setting. */
export const addressNotAvailable = refusalOf(
  409,
  'This <service> address is not available',
  (service: string) => `This ${service} address is not available`,
)
export const addressAlreadyYours = refusalOf(
  409,
  'This is already your <service> address',
  (service: string) => `This is already your ${service} address`,
)
/** MAIL-G9: an earlier name counts while it forwards. */
export const addressLimit = refusalOf(
  409,
  'You have 3 <service> addresses; another one is possible from <date>',
  (service: string, from: string) => `You have 3 ${service} addresses; another one is possible from ${from}`,
)
export const mailboxNotRenamable = refusal(409, 'This mailbox cannot be renamed')
