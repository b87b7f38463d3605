import { z } from 'zod'
import { platformAdmin, route } from '../route.ts'
import { scopes } from '../scopes.ts'
import { Moment, pageLimit, queryInteger, Timestamp, text } from '../wire.ts'
import * as refused from './refusals.ts'

const features = ['skills', 'feed', 'machines', 'crm'] as const
const subscriptionStates = ['none', 'active', 'past_due', 'canceled'] as const

export const Plan = z
  .object({
    key: z.string(),
    name: z.string(),
    features: z.array(z.string()),
    desk_cap: z.int(),
    source_cap: z.int(),
  })
  .meta({ id: 'Plan' })
export type Plan = z.infer<typeof Plan>

/** A workspace as the operator sees it: its plan, none of its content. */
export const AdminBrand = z
  .object({
    id: z.int(),
    name: z.string(),
    plan_key: z.string(),
    subscription: z.object({ status: z.enum(subscriptionStates), ends_at: Timestamp.nullable() }),
    /** AUTH-27: the scopes that tokens of this workspace may have at most. */
    scope_ceiling: z.array(z.string()),
    created_at: Timestamp,
  })
  .meta({ id: 'AdminBrand' })
export type AdminBrand = z.infer<typeof AdminBrand>

const Staff = z.object({ person_id: z.int(), is_staff: z.boolean() }).meta({ id: 'Staff' })
export type Staff = z.infer<typeof Staff>

const largestId = 2_147_483_647
const Id = queryInteger(1, largestId)
const Cap = z.int().min(0).max(1_000_000)
const PlanKey = z.string().regex(/^[a-z][a-z0-9_]{1,30}$/, 'must be the key of a plan')

const oneBrand = {
  auth: platformAdmin(),
  params: z.object({ brand_id: Id }),
  resources: { brand_id: 'brand' },
  missing: refused.brandNotFound,
  responses: { 200: AdminBrand },
} as const

export const listPlans = route({
  id: 'identity.listPlans',
  method: 'GET',
  path: '/api/v1/admin/plans',
  summary: 'List all plans',
  description: 'Returns the features and limits of each plan.',
  auth: platformAdmin(),
  responses: { 200: z.object({ plans: z.array(Plan) }) },
  refusals: [refused.platformAdminRequired],
})

export const changePlan = route({
  id: 'identity.changePlan',
  method: 'PUT',
  path: '/api/v1/admin/plans/{key}',
  summary: 'Change a plan',
  description: 'Takes effect immediately for every workspace on this plan.',
  example: { body: { name: 'Free', features: ['skills', 'feed'], desk_cap: 1, source_cap: 5 } },
  auth: platformAdmin(),
  params: z.object({ key: PlanKey }),
  resources: { key: 'plan' },
  missing: refused.planNotFound,
  body: z.object({
    name: text(1, 100),
    features: z.array(z.enum(features)).max(features.length),
    desk_cap: Cap,
    source_cap: Cap,
  }),
  responses: { 200: Plan },
  refusals: [refused.platformAdminRequired, refused.planNotFound],
})

export const listBrands = route({
  id: 'identity.listBrands',
  method: 'GET',
  path: '/api/v1/admin/brands',
  summary: 'List workspaces, by id',
  description: 'Pass `next_after` of one page as `after` of the next; it is null on the last page.',
  example: { query: { limit: '50' } },
  auth: platformAdmin(),
  query: z.object({
    after: queryInteger(0, largestId).optional(),
    limit: pageLimit(),
  }),
  /** `next_after` is the `after` of the next page; null when this is the last one. */
  responses: { 200: z.object({ brands: z.array(AdminBrand), next_after: z.int().nullable() }) },
  refusals: [refused.platformAdminRequired],
})

export const createBrand = route({
  id: 'identity.createBrand',
  method: 'POST',
  path: '/api/v1/admin/brands',
  summary: 'Create a workspace',
  description:
    '`admin_email` is optional and must belong to an existing account, which becomes the first admin.',
  example: { body: { name: 'Analytical Engines', plan_key: 'free' } },
  auth: platformAdmin(),
  body: z.object({ name: text(1, 100), plan_key: PlanKey, admin_email: z.string().max(254).optional() }),
  responses: { 201: AdminBrand },
  refusals: [
    refused.platformAdminRequired,
    refused.planNotFound,
    refused.personNotFound,
    refused.addressUnproven,
  ],
})

export const changeBrandPlan = route({
  ...oneBrand,
  id: 'identity.changeBrandPlan',
  method: 'PUT',
  path: '/api/v1/admin/brands/{brand_id}/plan',
  summary: 'Change the plan of a workspace',
  description: 'Features and limits of the new plan apply immediately.',
  example: { body: { plan_key: 'business' } },
  body: z.object({ plan_key: PlanKey }),
  refusals: [refused.platformAdminRequired, refused.brandNotFound, refused.planNotFound],
})

export const changeSubscription = route({
  ...oneBrand,
  id: 'identity.changeSubscription',
  method: 'PUT',
  path: '/api/v1/admin/brands/{brand_id}/subscription',
  summary: 'Set the subscription of a workspace',
  description: 'Usually called by a billing system. A null `ends_at` means no end date.',
  example: { body: { status: 'active', ends_at: null } },
  body: z.object({ status: z.enum(subscriptionStates), ends_at: Moment.nullable() }),
  refusals: [refused.platformAdminRequired, refused.brandNotFound],
})

/** AUTH-26, AUTH-27, AUTH-G9: `brand:read` is inside every ceiling; all others are the operator's decision. */
export const changePolicy = route({
  ...oneBrand,
  id: 'identity.changePolicy',
  method: 'PUT',
  path: '/api/v1/admin/brands/{brand_id}/policy',
  summary: 'Set the scopes that tokens of a workspace may use',
  description: 'Existing tokens lose all other scopes immediately. `brand:read` is always allowed.',
  example: { body: { scope_ceiling: ['brand:read', 'brand:admin'] } },
  body: z.object({
    scope_ceiling: z
      .array(z.enum(scopes))
      .max(scopes.length)
      .refine((ceiling) => ceiling.includes('brand:read'), 'must contain brand:read')
      .meta({ contains: { const: 'brand:read' } }),
  }),
  refusals: [refused.platformAdminRequired, refused.brandNotFound],
})

const oneStaff = {
  auth: platformAdmin(),
  path: '/api/v1/admin/staff/{person_id}',
  params: z.object({ person_id: Id }),
  resources: { person_id: 'person' },
  missing: refused.personNotFound,
  responses: { 200: Staff },
} as const

export const addStaff = route({
  ...oneStaff,
  id: 'identity.addStaff',
  method: 'PUT',
  summary: 'Make a person a platform admin',
  description: 'The person must have confirmed their e-mail address. Repeating the call changes nothing.',
  refusals: [refused.platformAdminRequired, refused.personNotFound, refused.addressUnproven],
})

export const removeStaff = route({
  ...oneStaff,
  id: 'identity.removeStaff',
  method: 'DELETE',
  summary: 'Remove a platform admin',
  description: 'The last platform admin cannot be removed.',
  refusals: [refused.platformAdminRequired, refused.personNotFound, refused.lastStaff],
})
