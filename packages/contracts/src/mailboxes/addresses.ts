import { z } from 'zod'
import { notFound } from '../refusal.ts'
import { person, route } from '../route.ts'
import { Timestamp } from '../wire.ts'
import * as refused from './refusals.ts'

/**
 * MAIL-05, MAIL-06, MAIL-07: three to thirty characters of ASCII. Nothing is folded or trimmed: a capital
 * letter or a line break at the end is refused, not repaired.
 */
export const MailName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9-]{1,28}[a-z0-9]$/,
    'must be 3 to 30 lowercase letters, numbers and hyphens, with a letter or number at both ends',
  )

const Forwarding = z.object({ address: z.string(), forwards_until: Timestamp })

/** AUTH-18, MAIL-24: any scopes will do, because nothing but the caller's own person can be reached. */
const own = { auth: person('any') } as const

export const getAddress = route({
  ...own,
  id: 'mailboxes.getAddress',
  method: 'GET',
  path: '/api/v1/me/mail/address',
  summary: 'One’s own mail address, and the earlier ones that still forward to it',
  description:
    'Returns the address of the person who calls. `can_rename` is false for an address outside the mail domain of this installation; `forwarding` lists earlier addresses and until when mail to them still arrives.',
  responses: {
    200: z.object({
      address: z.string(),
      /** False for an address that is not on the mail domain. */
      can_rename: z.boolean(),
      forwarding: z.array(Forwarding),
    }),
  },
  refusals: [notFound],
})

export const getAvailability = route({
  ...own,
  id: 'mailboxes.getAvailability',
  method: 'GET',
  path: '/api/v1/me/mail/address/availability',
  summary: 'Whether one could rename one’s own mail address to this name now',
  description:
    'Checks the name against the same rules as the rename itself: 3 to 30 lowercase letters, digits and hyphens, not reserved, and not taken. The answer is a snapshot; only the rename reserves the name.',
  example: { query: { name: 'ada-lovelace' } },
  query: z.object({ name: MailName }),
  responses: { 200: z.object({ name: z.string(), domain: z.string(), available: z.boolean() }) },
  refusals: [notFound],
})

export const renameAddress = route({
  ...own,
  id: 'mailboxes.renameAddress',
  method: 'PUT',
  path: '/api/v1/me/mail/address',
  summary: 'Renames one’s own mail address; the old one forwards to it for 30 days',
  description:
    'Takes effect at once. Mail to the old address is forwarded for 30 days, and during that time nobody else can take the old name.',
  example: { body: { name: 'ada-lovelace' } },
  body: z.object({ name: MailName }),
  responses: {
    200: z.object({ address: z.string(), forwarding_from: z.string(), forwards_until: Timestamp }),
  },
  refusals: [
    notFound,
    refused.addressNotAvailable,
    refused.addressAlreadyYours,
    refused.mailboxNotRenamable,
    refused.addressLimit,
  ],
})
