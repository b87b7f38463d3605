import { z } from 'zod'
import { foldAddress } from '../folding.ts'
import { anyone, person, route } from '../route.ts'
import { Timestamp, text } from '../wire.ts'
import * as refused from './refusals.ts'

// Names of parts joined by single dots, as RFC 5322 has them without quotes and comments; a host of two labels or more,
// of which the last begins with a letter. Letters of all scripts, as RFC 6531 allows them; nothing that is not seen.
const never =
  '.\\s@"<>()\\[\\]\\\\,;:\\u0000-\\u0020\\u007f-\\u00a0\\u200b-\\u200f\\u2028-\\u202f\\u2060-\\u206f\\ufeff'
const signs = "!#$%&'*+/=?^_`{|}~"
const part = `[^${never}]+`
const letter = `[^${never}${signs}0-9-]`
const alphanumeric = `[^${never}${signs}-]`
const inner = `(?:[^${never}${signs}]{0,61}${alphanumeric})?`
const address = new RegExp(`^${part}(?:\\.${part})*@(?:${alphanumeric}${inner}\\.)+${letter}${inner}$`)

export const Email = z.string().max(254).regex(address, 'must be an e-mail address').overwrite(foldAddress)
/** Length in code points, no composition rules; the upper bound keeps hashing from becoming an attack. */
export const NewPassword = text(8, 128)

const Membership = z.object({ brand_id: z.int(), name: z.string(), role: z.enum(['admin', 'member']) })

export const Me = z
  .object({
    person: z.object({
      id: z.int(),
      email: z.string(),
      full_name: z.string(),
      image: z.string().nullable(),
      is_staff: z.boolean(),
      /** Whether the address is confirmed. Nothing is shared with it before. */
      email_verified: z.boolean(),
    }),
    /** The workspace this credential acts for. */
    brand_id: z.int().nullable(),
    role: z.enum(['admin', 'member']).nullable(),
    credential: z.enum(['session', 'token']),
    scopes: z.array(z.string()).nullable(),
    expires_at: Timestamp,
    /** Only with a token of an agent. */
    agent: z.string().optional(),
    /** Only with a token that belongs to an agent of the workspace. */
    agent_id: z.string().optional(),
    /** With a token only its own workspace; with a session all workspaces of the person. */
    memberships: z.array(Membership),
  })
  .meta({ id: 'Me' })
export type Me = z.infer<typeof Me>

const Done = z.object({ done: z.literal(true) })

export const signUp = route({
  id: 'identity.signUp',
  sets_cookie: true,
  method: 'POST',
  path: '/api/v1/auth/sign-up',
  summary: 'Sign up: create an account, a workspace and a session',
  description:
    'The person becomes the admin of the new workspace. The session is returned in a cookie. A confirmation link is mailed to the address. Limited per client network.',
  example: {
    body: {
      email: 'ada@example.com',
      password: 'correct horse battery',
      full_name: 'Ada Lovelace',
      brand_name: 'Analytical Engines',
    },
  },
  auth: anyone(),
  body: z.object({ email: Email, password: NewPassword, full_name: text(1, 100), brand_name: text(1, 100) }),
  responses: { 201: Me },
  refusals: [
    refused.emailTaken,
    refused.signUpClosed,
    refused.mailDomainRefused,
    refused.tooManyAttempts,
    refused.crossSite,
  ],
})

export const signIn = route({
  id: 'identity.signIn',
  sets_cookie: true,
  method: 'POST',
  path: '/api/v1/auth/sign-in',
  summary: 'Sign in',
  description:
    'Returns the session in a cookie. A wrong password and an unknown address get the same response. Repeated failures are limited.',
  example: { body: { email: 'ada@example.com', password: 'correct horse battery' } },
  auth: anyone(),
  body: z.object({ email: z.string().max(254), password: z.string().max(1000) }),
  responses: { 200: Me },
  refusals: [refused.wrongPassword, refused.tooManyAttempts, refused.crossSite],
})

export const signOut = route({
  id: 'identity.signOut',
  sets_cookie: true,
  method: 'POST',
  path: '/api/v1/auth/sign-out',
  summary: 'Sign out',
  description:
    'The cookie stops working immediately. Other sessions and all tokens of the person stay valid.',
  auth: person('session'),
  responses: { 200: Done },
})

export const requestReset = route({
  id: 'identity.requestReset',
  method: 'POST',
  path: '/api/v1/auth/password-reset',
  summary: 'Request a link to reset a password',
  description:
    'Always returns 202, so that nobody can find out which addresses have an account. The link works once.',
  example: { body: { email: 'ada@example.com' } },
  auth: anyone(),
  body: z.object({ email: z.string().max(254) }),
  responses: { 202: Done },
  refusals: [refused.tooManyAttempts, refused.crossSite],
})

export const confirmReset = route({
  id: 'identity.confirmReset',
  method: 'POST',
  path: '/api/v1/auth/password-reset/confirm',
  summary: 'Reset a password and end all sessions of the person',
  description:
    '`token` comes from the link in the e-mail and works once. Access tokens of the person stay valid unless `revoke_tokens` is true.',
  example: { body: { token: 'the-token-from-the-link', password: 'a better horse battery' } },
  auth: anyone(),
  body: z.object({ token: text(1, 200), password: NewPassword, revoke_tokens: z.boolean().optional() }),
  responses: { 200: Done },
  refusals: [refused.resetLinkDead, refused.tooManyAttempts, refused.crossSite],
})

export const getMe = route({
  id: 'identity.getMe',
  method: 'GET',
  path: '/api/v1/me',
  summary: 'Get the caller: person, workspace, role and scopes',
  description:
    'A good first call with a new token. Returns the person, the workspace the credential acts for, the role, the scopes and the expiry date.',
  auth: person('any'),
  responses: { 200: Me },
})

export const switchBrand = route({
  id: 'identity.switchBrand',
  method: 'PUT',
  path: '/api/v1/me/brand',
  summary: 'Switch the session to another workspace',
  description:
    'A session acts for one workspace at a time. Tokens belong to one workspace and cannot switch. A request with the header `X-Expected-Brand` gets 409 and does nothing if the session acts for another workspace by then.',
  example: { body: { brand_id: 1 } },
  auth: person('session'),
  body: z.object({ brand_id: z.int() }),
  resources: { 'body.brand_id': 'brand' },
  responses: { 200: Me },
  refusals: [refused.brandNotFound],
})
