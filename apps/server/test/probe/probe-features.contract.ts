import { brandNotFound } from '@crewhall/contracts/identity/refusals.ts'
import { adminToken, route } from '@crewhall/contracts/route.ts'
import { queryInteger } from '@crewhall/contracts/wire.ts'
import { featureKeys, notInPlan, unknownFeature } from '@crewhall/contracts/workspaces/features.ts'
import { z } from 'zod'

// Feature switches and a log of changes as they are written without thinking of two callers at once. The races
// of the real ones must go wrong here, or they would prove nothing.

const params = z.object({ brand_id: z.string(), key: z.enum(featureKeys) })
const oneKey = {
  auth: adminToken('brand:admin'),
  params,
  resources: { brand_id: 'brand', key: 'feature' },
  missing: unknownFeature,
} as const

const NaiveSwitch = z.object({
  on: z.boolean(),
  locked_by_plan: z.boolean(),
  changed_by: z.int().nullable(),
})

export const naiveSwitch = route({
  ...oneKey,
  id: 'probe.naiveSwitch',
  method: 'PUT',
  path: '/api/v1/probe/naive/brands/{brand_id}/features/{key}',
  summary: 'Looks at the plan, then writes the value, then who it was: each in a statement of its own',
  body: z.object({ on: z.boolean() }),
  responses: { 200: NaiveSwitch },
  refusals: [notInPlan],
})

export const readNaiveSwitch = route({
  ...oneKey,
  id: 'probe.readNaiveSwitch',
  method: 'GET',
  path: '/api/v1/probe/naive/brands/{brand_id}/features/{key}',
  summary: 'What was written naively',
  responses: { 200: NaiveSwitch },
})

export const naiveEntry = route({
  ...oneKey,
  id: 'probe.naiveEntry',
  method: 'PUT',
  path: '/api/v1/probe/naive/brands/{brand_id}/entries/{key}',
  summary: 'Writes an entry and the change in one transaction, with an id that was taken without a lock',
  body: z.object({ on: z.boolean() }),
  responses: { 200: z.object({ id: z.int() }) },
})

export const listNaiveEntries = route({
  id: 'probe.listNaiveEntries',
  method: 'GET',
  path: '/api/v1/probe/naive/brands/{brand_id}/entries',
  summary: 'Entries behind an id',
  auth: adminToken('brand:admin'),
  params: z.object({ brand_id: z.string() }),
  resources: { brand_id: 'brand' },
  missing: brandNotFound,
  query: z.object({ after: queryInteger(0, 2_000_000_000), limit: queryInteger(1, 100) }),
  responses: { 200: z.object({ ids: z.array(z.int()) }) },
})

export const probeFeatureRoutes = { naiveSwitch, readNaiveSwitch, naiveEntry, listNaiveEntries } as const
