import { z } from 'zod'
import { job } from '../job.ts'
import { anyone, person, route } from '../route.ts'
import { scopes } from '../scopes.ts'
import { Timestamp, text } from '../wire.ts'
import * as refused from './refusals.ts'

/** RFC 8628, 6.1: consonants only, so that no code is a word, and no digit that looks like a letter. */
export const userCodeLetters = 'BCDFGHJKLMNPQRSTVWXZ'
export const userCodeLength = 8

/** As it is shown: two groups are easier to read aloud. */
export const formatUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`

const UserCode = z
  .string()
  .max(20)
  .overwrite((given) => given.replace(/[\s-]/g, '').toUpperCase())
  .regex(
    new RegExp(`^[${userCodeLetters}]{${userCodeLength}}$`),
    `must be ${userCodeLength} letters, such as WDJB-MJHT`,
  )

const HostName = z
  .string()
  .max(63)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'must be the name of a computer: letters, digits, dots and hyphens')

export const requestDeviceCode = route({
  id: 'identity.requestDeviceCode',
  method: 'POST',
  path: '/api/v1/auth/device/code',
  summary: 'Ask a person to sign in a program on another device',
  description:
    'For programs without a browser, such as the command line (RFC 8628). Show `user_code` and `verification_uri` to the person, who signs in there and confirms, and poll `POST /api/v1/auth/device/token` every `interval` seconds. With `scopes`, the result is a token with these scopes; without, a session. The codes are valid for 10 minutes. Limited per client network.',
  example: { body: { host: 'build-7', scopes: ['brand:read'] } },
  auth: anyone(),
  body: z.object({
    /** Name of the computer, shown to the person as a claim. */
    host: HostName.optional(),
    /** What the token may do. Without it, a session is asked for. */
    scopes: z.array(z.enum(scopes)).max(scopes.length).optional(),
  }),
  responses: {
    200: z.object({
      device_code: z.string(),
      user_code: z.string(),
      verification_uri: z.string(),
      /** With the code filled in. */
      verification_uri_complete: z.string(),
      /** Seconds. */
      expires_in: z.int(),
      /** Seconds to wait between two polls. */
      interval: z.int(),
    }),
  },
  tells_once: true,
  refusals: [refused.tooManyAttempts, refused.tooManyDeviceCodes, refused.crossSite],
})

/** `access_token` is shown this once. */
const DeviceCredential = z
  .object({
    /** `Cookie`: a session; send `access_token` as the value of the cookie `cookie_name`. */
    token_type: z.enum(['Bearer', 'Cookie']),
    access_token: z.string(),
    cookie_name: z.string().nullable(),
    expires_at: Timestamp,
    scopes: z.array(z.string()).max(scopes.length).nullable(),
    /** The workspace that it acts for. */
    brand_id: z.int().nullable(),
  })
  .meta({ id: 'DeviceCredential' })
export type DeviceCredential = z.infer<typeof DeviceCredential>

export const redeemDeviceCode = route({
  id: 'identity.redeemDeviceCode',
  method: 'POST',
  path: '/api/v1/auth/device/token',
  summary: 'Fetch what a person has approved for a device code',
  description:
    'Until the person has decided, the response is 400 with a word of RFC 8628 as `detail.error`: `authorization_pending` (poll again), `slow_down` (poll again; `detail.interval` is the new interval), `access_denied` or `expired_token` (start again). The credential is returned exactly once, within two minutes of the approval.',
  example: { body: { device_code: 'the-device-code' } },
  auth: anyone(),
  takes_secret: true,
  body: z.object({ device_code: text(1, 200) }),
  responses: { 200: DeviceCredential },
  tells_once: true,
  refusals: [
    refused.authorizationPending,
    refused.slowDown,
    refused.deviceDenied,
    refused.deviceCodeExpired,
    refused.scopeOutsideCeiling,
    refused.tokenLimit,
    refused.tooManyAttempts,
    refused.crossSite,
  ],
})

export const DeviceRequest = z
  .object({
    user_code: z.string(),
    /** What the program says about itself; nobody has verified it. */
    host: z.string().nullable(),
    /** Name of the program. */
    client: z.string().nullable(),
    /** The IPv4 address, or the /64 of the IPv6 address, that the program called from. */
    network: z.string(),
    /** Whether you are calling from the same network. */
    same_network: z.boolean(),
    asks_for: z.enum(['session', 'token']),
    /** Of the token. */
    scopes: z.array(z.string()).max(scopes.length).nullable(),
    created_at: Timestamp,
    expires_at: Timestamp,
  })
  .meta({ id: 'DeviceRequest' })
export type DeviceRequest = z.infer<typeof DeviceRequest>

export const getDeviceRequest = route({
  id: 'identity.getDeviceRequest',
  method: 'GET',
  path: '/api/v1/auth/device/approve',
  summary: 'Show which program is waiting with a code',
  description:
    'Names the computer, the program, the network and what it asks for. Unknown, expired and used codes get the same refusal. After five wrong codes, a person has to wait for 15 minutes.',
  example: { query: { user_code: 'WDJB-MJHT' } },
  auth: person('session'),
  query: z.object({ user_code: UserCode }),
  responses: { 200: DeviceRequest },
  refusals: [refused.deviceCodeUnknown, refused.tooManyAttempts],
})

export const decideDeviceRequest = route({
  id: 'identity.decideDeviceRequest',
  method: 'POST',
  path: '/api/v1/auth/device/approve',
  summary: 'Approve or deny a program that is waiting with a code',
  description:
    'On approval the program gets a session of yours, or a token with the scopes that were shown, for the workspace `brand_id` (by default that of your session). You are notified by e-mail. If your session ends before the program has fetched it, the approval ends too.',
  example: { body: { user_code: 'WDJB-MJHT', decision: 'approve' } },
  auth: person('session'),
  body: z.object({
    user_code: UserCode,
    decision: z.enum(['approve', 'deny']),
    brand_id: z.int().optional(),
  }),
  resources: { 'body.brand_id': 'brand' },
  responses: { 200: z.object({ decision: z.enum(['approved', 'denied']) }) },
  refusals: [
    refused.deviceCodeUnknown,
    refused.brandNotFound,
    refused.noWorkspace,
    refused.scopeOutsideCeiling,
    refused.tooManyAttempts,
  ],
})

/** The queue holds ids only; the rest is read when the e-mail is sent. */
export const sendDeviceLetter = job({
  name: 'identity.send-device-letter',
  sends_mail: true,
  payload: z.object({ person_id: z.int(), code_id: z.string(), approved_at: z.string() }),
  batch_size: 8,
})
