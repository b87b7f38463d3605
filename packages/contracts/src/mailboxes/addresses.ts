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

/** AUTH-18, MAIL-24: no scope is required, because only the caller's own address can be reached. */
const own = { auth: person('any') } as const

export const getAddress = route({
  ...own,
  id: 'mailboxes.getAddress',
  method: 'GET',
  path: '/api/v1/me/mail/address',
  summary: 'Get your e-mail address and those that still forward to it',
  description:
    '`can_rename` is false for an address outside the mail domain of this installation. `forwarding` lists earlier addresses and how long mail to them still arrives.',
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
  summary: 'Check whether your e-mail address can be changed to a name',
  description:
    'Applies the same rules as the rename: 3 to 30 lowercase letters, digits and hyphens, not reserved and not taken. The name is not held until the rename itself.',
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
  summary: 'Rename your e-mail address',
  description:
    'Takes effect immediately. Mail to the old address is forwarded for 30 days, and nobody else can take the old name during that time.',
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
