import { z } from 'zod'
import { job } from '../job.ts'
import { person, platformAdmin, route, session } from '../route.ts'
import { queryInteger, Timestamp, text } from '../wire.ts'
import * as refused from './refusals.ts'

export const Erasure = z
  .object({
    /** A scheduled one can be called off; one that is running cannot be undone. */
    status: z.enum(['scheduled', 'running', 'done']),
    requested_at: Timestamp,
    /** Not begun before. */
    due_at: Timestamp,
    started_at: Timestamp.nullable(),
    finished_at: Timestamp.nullable(),
    /** Workspaces that need another admin before the erasure of a person can begin. */
    waits_for: z.array(z.int()).max(100),
  })
  .meta({ id: 'Erasure' })
export type Erasure = z.infer<typeof Erasure>

const Told = z.object({ erasure: Erasure.nullable() })
const Id = queryInteger(1, 2_147_483_647)

const ofMe = { path: '/api/v1/me/erasure', auth: person('session') } as const

export const eraseMe = route({
  ...ofMe,
  id: 'identity.eraseMe',
  method: 'POST',
  summary: 'Schedules the erasure of one’s own account',
  description:
    'Takes the current password. The erasure begins after a grace period (7 days unless the operator set another) and can be called off until then. It ends all sessions and tokens and takes name, addresses, pictures and positions out of everything; boards show “Former member”. Words on shared boards and docs stay with their workspace. Workspaces without another member are erased as well. Somebody who is the only admin of a workspace with other members is refused until there is another admin. Repeating the call changes nothing.',
  example: { body: { password: 'correct horse battery' } },
  body: z.object({ password: z.string().max(1000) }),
  takes_secret: true,
  responses: { 202: Told },
  refusals: [refused.passwordNotRight, refused.lastAdminErased, refused.lastStaff, refused.tooManyAttempts],
})

export const getMyErasure = route({
  ...ofMe,
  id: 'identity.getMyErasure',
  method: 'GET',
  summary: 'The scheduled erasure of one’s own account, or null',
  description: '`waits_for` lists workspaces that need another admin first.',
  responses: { 200: Told },
})

export const keepMe = route({
  ...ofMe,
  id: 'identity.keepMe',
  method: 'DELETE',
  summary: 'Calls the erasure of one’s own account off',
  description: 'Repeating the call changes nothing.',
  responses: { 200: Told },
  refusals: [refused.erasureBegun],
})

const ofBrand = {
  path: '/api/v1/brands/{brand_id}/erasure',
  auth: { ...session(), role: 'admin' },
  params: z.object({ brand_id: z.string() }),
  resources: { brand_id: 'brand' },
  missing: refused.brandNotFound,
} as const

export const eraseBrand = route({
  ...ofBrand,
  id: 'identity.eraseBrand',
  method: 'POST',
  summary: 'Schedules the erasure of the workspace',
  description:
    '`name` is the name of the workspace, as a confirmation. The erasure begins after a grace period (7 days unless the operator set another) and can be called off by any admin until then. It removes boards, docs, webhooks, members, tokens, pictures and settings; it cannot be undone. Repeating the call changes nothing.',
  example: { body: { name: 'Analytical Engines' } },
  body: z.object({ name: text(1, 100) }),
  responses: { 202: Told },
  refusals: [refused.adminRequired, refused.nameNotRight],
})

export const getBrandErasure = route({
  ...ofBrand,
  id: 'identity.getBrandErasure',
  method: 'GET',
  summary: 'The scheduled erasure of the workspace, or null',
  description: 'Admins of the workspace see when it is due.',
  responses: { 200: Told },
  refusals: [refused.adminRequired],
})

export const keepBrand = route({
  ...ofBrand,
  id: 'identity.keepBrand',
  method: 'DELETE',
  summary: 'Calls the erasure of the workspace off',
  description: 'Repeating the call changes nothing.',
  responses: { 200: Told },
  refusals: [refused.adminRequired, refused.erasureBegun],
})

const ofPersonByStaff = {
  path: '/api/v1/admin/people/{person_id}/erasure',
  auth: platformAdmin(),
  params: z.object({ person_id: Id }),
  resources: { person_id: 'person' },
  missing: refused.personNotFound,
} as const

export const erasePerson = route({
  ...ofPersonByStaff,
  id: 'identity.erasePerson',
  method: 'POST',
  summary: 'Erases a person at once',
  description:
    'Begins without a grace period, also when the person has asked for one. Refused while the person is the only admin of a workspace with other members, or the last platform admin.',
  responses: { 202: Told },
  refusals: [
    refused.platformAdminRequired,
    refused.personNotFound,
    refused.lastAdminErased,
    refused.lastStaff,
  ],
})

export const getPersonErasure = route({
  ...ofPersonByStaff,
  id: 'identity.getPersonErasure',
  method: 'GET',
  summary: 'How far the erasure of a person has come, or null',
  description: 'Stays readable after it is done.',
  responses: { 200: Told },
  refusals: [refused.platformAdminRequired, refused.personNotFound],
})

export const keepPerson = route({
  ...ofPersonByStaff,
  id: 'identity.keepPerson',
  method: 'DELETE',
  summary: 'Calls the scheduled erasure of a person off',
  description: 'Repeating the call changes nothing.',
  responses: { 200: Told },
  refusals: [refused.platformAdminRequired, refused.personNotFound, refused.erasureBegun],
})

const ofBrandByStaff = {
  path: '/api/v1/admin/brands/{brand_id}/erasure',
  auth: platformAdmin(),
  params: z.object({ brand_id: Id }),
  resources: { brand_id: 'brand' },
  missing: refused.brandNotFound,
} as const

export const eraseAnyBrand = route({
  ...ofBrandByStaff,
  id: 'identity.eraseAnyBrand',
  method: 'POST',
  summary: 'Erases a workspace at once',
  description: 'Begins without a grace period, also when an admin has asked for one. It cannot be undone.',
  responses: { 202: Told },
  refusals: [refused.platformAdminRequired, refused.brandNotFound],
})

export const getAnyBrandErasure = route({
  ...ofBrandByStaff,
  id: 'identity.getAnyBrandErasure',
  method: 'GET',
  summary: 'How far the erasure of a workspace has come, or null',
  description: 'Stays readable after it is done.',
  responses: { 200: Told },
  refusals: [refused.platformAdminRequired, refused.brandNotFound],
})

export const keepAnyBrand = route({
  ...ofBrandByStaff,
  id: 'identity.keepAnyBrand',
  method: 'DELETE',
  summary: 'Calls the scheduled erasure of a workspace off',
  description: 'Repeating the call changes nothing.',
  responses: { 200: Told },
  refusals: [refused.platformAdminRequired, refused.brandNotFound, refused.erasureBegun],
})

/** Begins erasures that are due, and goes on with those that nobody works on any more. */
export const startErasures = job({
  name: 'identity.start-erasures',
  payload: z.object({}),
  cron: '* * * * *',
})

/** Erases one person or workspace, a bite at a time. */
export const erase = job({
  name: 'identity.erase',
  payload: z.object({ kind: z.enum(['person', 'brand']), id: z.int() }),
  // What is done stays done, so another attempt goes on where the last one ended.
  retry_seconds: [5, 30, 300, 600, 1800, 7200],
  limit_seconds: 900,
  batch_size: 4,
})
