import { z } from 'zod'
import { job } from '../job.ts'
import { person, platformAdmin, route, session } from '../route.ts'
import { queryInteger, Timestamp, text } from '../wire.ts'
import * as refused from './refusals.ts'

export const Erasure = z
  .object({
    /** A scheduled erasure can be canceled; a running one cannot. */
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
  summary: 'Schedule the erasure of your account',
  description:
    'Requires the current password. The erasure starts after a grace period (7 days unless configured otherwise) and can be canceled until then. It ends all sessions and tokens and removes your name, addresses, photos and positions everywhere; boards show “Former member”. What you wrote on boards and in docs stays with the workspace. Workspaces without another member are erased too. If you are the only admin of a workspace with other members, make someone else an admin first. Repeating the call changes nothing.',
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
  summary: 'Get the scheduled erasure of your account, or null',
  description: '`waits_for` lists the workspaces that need another admin first.',
  responses: { 200: Told },
})

export const keepMe = route({
  ...ofMe,
  id: 'identity.keepMe',
  method: 'DELETE',
  summary: 'Cancel the erasure of your account',
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
  summary: 'Schedule the erasure of the workspace',
  description:
    'Requires the name of the workspace in `name`, as a confirmation. The erasure starts after a grace period (7 days unless configured otherwise); until then any admin can cancel it. It removes boards, docs, webhooks, members, tokens, photos and settings and cannot be undone. Repeating the call changes nothing.',
  example: { body: { name: 'Analytical Engines' } },
  body: z.object({ name: text(1, 100) }),
  responses: { 202: Told },
  refusals: [refused.adminRequired, refused.nameNotRight],
})

export const getBrandErasure = route({
  ...ofBrand,
  id: 'identity.getBrandErasure',
  method: 'GET',
  summary: 'Get the scheduled erasure of the workspace, or null',
  description: 'Shows when the erasure is due.',
  responses: { 200: Told },
  refusals: [refused.adminRequired],
})

export const keepBrand = route({
  ...ofBrand,
  id: 'identity.keepBrand',
  method: 'DELETE',
  summary: 'Cancel the erasure of the workspace',
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
  summary: 'Erase a person now',
  description:
    'Starts without a grace period, even if the person has scheduled an erasure. Refused while the person is the only admin of a workspace with other members, or the last platform admin.',
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
  summary: 'Get the progress of a person’s erasure, or null',
  description: 'Remains readable after the erasure is complete.',
  responses: { 200: Told },
  refusals: [refused.platformAdminRequired, refused.personNotFound],
})

export const keepPerson = route({
  ...ofPersonByStaff,
  id: 'identity.keepPerson',
  method: 'DELETE',
  summary: 'Cancel the scheduled erasure of a person',
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
  summary: 'Erase a workspace now',
  description:
    'Starts without a grace period, even if an admin has scheduled an erasure. This cannot be undone.',
  responses: { 202: Told },
  refusals: [refused.platformAdminRequired, refused.brandNotFound],
})

export const getAnyBrandErasure = route({
  ...ofBrandByStaff,
  id: 'identity.getAnyBrandErasure',
  method: 'GET',
  summary: 'Get the progress of a workspace’s erasure, or null',
  description: 'Remains readable after the erasure is complete.',
  responses: { 200: Told },
  refusals: [refused.platformAdminRequired, refused.brandNotFound],
})

export const keepAnyBrand = route({
  ...ofBrandByStaff,
  id: 'identity.keepAnyBrand',
  method: 'DELETE',
  summary: 'Cancel the scheduled erasure of a workspace',
  description: 'Repeating the call changes nothing.',
  responses: { 200: Told },
  refusals: [refused.platformAdminRequired, refused.brandNotFound, refused.erasureBegun],
})

/** Starts erasures that are due and resumes abandoned ones. */
export const startErasures = job({
  name: 'identity.start-erasures',
  payload: z.object({}),
  cron: '* * * * *',
})

/** Erases one person or workspace, in batches. */
export const erase = job({
  name: 'identity.erase',
  payload: z.object({ kind: z.enum(['person', 'brand']), id: z.int() }),
  // Each batch commits, so another attempt continues where the last one stopped.
  retry_seconds: [5, 30, 300, 600, 1800, 7200],
  limit_seconds: 900,
  batch_size: 4,
})
