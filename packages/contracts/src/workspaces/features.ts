import { z } from 'zod'
import { adminRequired, brandNotFound, scopeMissing } from '../identity/refusals.ts'
import { refusal } from '../refusal.ts'
import { adminToken, route, token } from '../route.ts'
import { Timestamp } from '../wire.ts'

export const featureKeys = ['skills', 'feed', 'machines', 'crm'] as const
export type FeatureKey = (typeof featureKeys)[number]

/** FEAT-G1: what each feature counts. */
export const heldBy = {
  skills: 'installed_packages',
  feed: 'feed_sources',
  machines: 'machines',
  crm: 'crm_boards',
} as const satisfies Record<FeatureKey, string>

export const FeatureSwitch = z
  .object({
    on: z.boolean(),
    locked_by_plan: z.boolean(),
    source: z.enum(['plan_default', 'data_default', 'admin']),
    /** The admin who last set it, by current name; null if never set. */
    changed_by: z.object({ user_id: z.int(), name: z.string() }).nullable(),
    changed_at: Timestamp.nullable(),
    /** Number of items: `installed_packages`, `feed_sources`, `machines` or `crm_boards`. */
    holds: z.record(z.string(), z.int().min(0)),
  })
  .meta({ id: 'FeatureSwitch' })
export type FeatureSwitch = z.infer<typeof FeatureSwitch>

export const Features = z
  .object({
    new_navigation: z.boolean(),
    switches: z.object({
      skills: FeatureSwitch,
      feed: FeatureSwitch,
      machines: FeatureSwitch,
      crm: FeatureSwitch,
    }),
  })
  .meta({ id: 'Features' })
export type Features = z.infer<typeof Features>

export const unknownFeature = refusal(422, `key: must be one of ${featureKeys.join(', ')}`)
export const notInPlan = refusal(409, 'This feature is not included in the workspace plan')

export const getFeatures = route({
  id: 'workspaces.getFeatures',
  method: 'GET',
  path: '/api/v1/brands/{brand_id}/features',
  summary: 'Get the features of the workspace',
  description:
    '`locked_by_plan` means that the plan does not include the feature; `holds` counts its items. The default is JSON; `format` selects YAML or Markdown.',
  auth: token('brand:read'),
  params: z.object({ brand_id: z.string() }),
  resources: { brand_id: 'brand' },
  missing: brandNotFound,
  // FEAT-15: JSON is the default and cannot be named in `format`.
  formats: { default: 'json', accepts: ['yaml', 'md'] },
  responses: { 200: Features },
  refusals: [brandNotFound, scopeMissing],
})

/** FEAT-12, FEAT-G3: a switch controls what the dashboard shows. It deletes nothing and disables no route. */
export const changeFeature = route({
  id: 'workspaces.changeFeature',
  method: 'PUT',
  path: '/api/v1/brands/{brand_id}/features/{key}',
  summary: 'Turn a feature on or off',
  description: 'Changes what the dashboard shows; nothing is deleted. A feature outside the plan gets 409.',
  example: { body: { on: true } },
  auth: adminToken('brand:admin'),
  params: z.object({ brand_id: z.string(), key: z.enum(featureKeys) }),
  resources: { brand_id: 'brand', key: 'feature' },
  // FEAT-18: 422, although other unknown path values are 404.
  missing: unknownFeature,
  body: z.object({ on: z.boolean() }),
  responses: { 200: Features },
  refusals: [brandNotFound, scopeMissing, adminRequired, notInPlan],
})
