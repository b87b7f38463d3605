import { z } from 'zod'
import * as refused from '../identity/refusals.ts'
import { NewPassword } from '../identity/sessions.ts'
import { job } from '../job.ts'
import { refusal } from '../refusal.ts'
import { adminToken, route, token } from '../route.ts'
import { paged, queryInteger, Timestamp, text } from '../wire.ts'
import { memberNotFound } from './refusals.ts'

export const roleUnknown = refusal(400, "Role must be 'admin' or 'member'")
export const nothingToUpdate = refusal(400, 'No fields to update')
/** Texts of 502 responses, which are outages and not refusals. */
export const resetMailFailed = refusal(502, 'Failed to send password reset email')
export const passwordFailed = refusal(502, 'Failed to set password')

/** MBR-G18. `photo` is a URL. */
export const Member = z
  .object({
    user_id: z.int(),
    name: z.string(),
    email: z.string(),
    role: z.enum(['admin', 'member']),
    position: z.string().nullable(),
    photo: z.string().nullable(),
    joined_at: Timestamp,
  })
  .meta({ id: 'Member' })
export type Member = z.infer<typeof Member>

const brand = { brand_id: z.string() }
const ofMember = {
  params: z.object({ ...brand, user_id: queryInteger(1, 2_147_483_647) }),
  resources: { brand_id: 'brand', user_id: 'member' },
  missing: memberNotFound,
} as const
const Done = z.object({ success: z.literal(true) })
const DoneWithMessage = Done.extend({ message: z.string() })

export const listMembers = route({
  id: 'workspaces.listMembers',
  method: 'GET',
  path: '/api/v1/brands/{brand_id}/members',
  summary: 'List the active members',
  description: '`q` searches names and e-mail addresses, ignoring case.',
  example: { query: { q: 'p', per_page: '50' } },
  auth: token('brand:read'),
  params: z.object(brand),
  query: z.object({
    ...paged({ pages: 10_000 }),
    q: text(1, 200).optional(),
  }),
  resources: { brand_id: 'brand' },
  missing: refused.brandNotFound,
  responses: { 200: z.object({ members: z.array(Member), total: z.int() }) },
})

export const getMember = route({
  id: 'workspaces.getMember',
  method: 'GET',
  path: '/api/v1/brands/{brand_id}/members/{user_id}',
  summary: 'Get an active member',
  description: 'Former members return 404.',
  auth: token('brand:read'),
  ...ofMember,
  responses: { 200: Member },
  refusals: [memberNotFound],
})

/** MBR-07 and MBR-G1 define the refusal of a wrong role, so the schema accepts any value. */
const GivenRole = z.unknown().meta({ override: { type: 'string', enum: ['admin', 'member'] } })

export const changeMember = route({
  id: 'workspaces.changeMember',
  method: 'PATCH',
  path: '/api/v1/brands/{brand_id}/members/{user_id}',
  summary: 'Change the role or position of a member',
  description:
    'Only the fields in the body change; a null `position` clears it. The last admin must remain an admin.',
  example: { body: { position: 'Engineer' } },
  auth: adminToken('brand:admin'),
  ...ofMember,
  body: z
    .object({ role: GivenRole.optional(), position: text(0, 255).nullable().optional() })
    // A missing body counts as an empty one.
    .default({}),
  responses: { 200: Done },
  refusals: [nothingToUpdate, roleUnknown, memberNotFound, refused.lastAdminDemoted],
})

export const removeMember = route({
  id: 'workspaces.removeMember',
  method: 'DELETE',
  path: '/api/v1/brands/{brand_id}/members/{user_id}',
  summary: 'Remove a member, with their tokens and sessions in the workspace',
  description: 'Takes effect immediately. What they wrote stays. The last admin cannot be removed.',
  auth: adminToken('brand:admin'),
  ...ofMember,
  responses: { 200: Done },
  refusals: [memberNotFound, refused.lastAdminRemoved],
})

export const resetMemberPassword = route({
  id: 'workspaces.resetMemberPassword',
  method: 'POST',
  path: '/api/v1/brands/{brand_id}/members/{user_id}/reset-password',
  summary: 'Send a member a link to reset their password',
  description:
    'The link is valid for an hour. 502 means that the mail server did not accept the e-mail; nothing has changed.',
  auth: adminToken('brand:admin'),
  ...ofMember,
  responses: { 200: DoneWithMessage },
  refusals: [memberNotFound, resetMailFailed],
  // The mail server has its own timeout, and its reply is part of the response.
  deadline_ms: 15_000,
})

export const setMemberPassword = route({
  id: 'workspaces.setMemberPassword',
  method: 'POST',
  path: '/api/v1/brands/{brand_id}/members/{user_id}/set-password',
  summary: 'Set the password of a member',
  description:
    'Only for people who belong to no other workspace; for others it returns 409, and you can send a reset link instead. With `send_email` the person is notified by e-mail, without the password.',
  example: { body: { password: 'a fresh horse battery', send_email: false } },
  auth: adminToken('brand:admin'),
  ...ofMember,
  takes_secret: true,
  body: z.object({ password: NewPassword, send_email: z.boolean().default(false) }),
  responses: { 200: DoneWithMessage },
  refusals: [memberNotFound, refused.resetInstead, refused.noAuthAccount, passwordFailed],
  outage: passwordFailed,
  // A database outage gets the text of this route.
  deadline_ms: 15_000,
})

/** MBR-25. Enqueued with the password, so that a mail server outage changes nothing (MBR-G14). */
export const sendPasswordNotice = job({
  name: 'workspaces.send-password-notice',
  sends_mail: true,
  payload: z.object({ brand_id: z.int(), person_id: z.int(), notice_id: z.string() }),
  batch_size: 8,
})
