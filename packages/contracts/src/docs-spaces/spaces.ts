import { z } from 'zod'
import { adminToken, route, token } from '../route.ts'
import { pageLimit, Timestamp, Uuid, words } from '../wire.ts'
import * as refused from './refusals.ts'

export const Space = z
  .object({ id: Uuid, name: z.string(), created_at: Timestamp, updated_at: Timestamp })
  .meta({ id: 'DocsSpace' })
export type Space = z.infer<typeof Space>

/** Oldest first; `next_after` is the `after` of the next page. */
export const pageQuery = z.object({ after: Uuid.optional(), limit: pageLimit() })
export type PageQuery = z.infer<typeof pageQuery>

const SpaceBody = z.object({ name: words(100) })

export const oneSpace = {
  params: z.object({ space_id: Uuid }),
  resources: { space_id: 'docs_space' },
  missing: refused.spaceNotFound,
} as const

export const listSpaces = route({
  id: 'docs.listSpaces',
  method: 'GET',
  path: '/api/v1/docs/spaces',
  summary: 'List the docs spaces of the workspace',
  description: 'Pass `next_after` of one page as `after` of the next; it is null on the last page.',
  example: { query: { limit: '50' } },
  auth: token(),
  query: pageQuery,
  responses: { 200: z.object({ spaces: z.array(Space), next_after: Uuid.nullable() }) },
})

export const createSpace = route({
  id: 'docs.createSpace',
  method: 'POST',
  path: '/api/v1/docs/spaces',
  summary: 'Create a docs space',
  description: 'A docs space holds Markdown pages and is shared with guests as a whole.',
  example: { body: { name: 'Handbook' } },
  auth: token(),
  body: SpaceBody,
  responses: { 201: Space },
  refusals: [refused.spaceLimit],
})

export const getSpace = route({
  ...oneSpace,
  id: 'docs.getSpace',
  method: 'GET',
  path: '/api/v1/docs/spaces/{space_id}',
  summary: 'Get a docs space',
  description: 'The pages are a separate list.',
  auth: token(),
  responses: { 200: Space },
  refusals: [refused.spaceNotFound],
})

export const renameSpace = route({
  ...oneSpace,
  id: 'docs.renameSpace',
  method: 'PATCH',
  path: '/api/v1/docs/spaces/{space_id}',
  summary: 'Rename a docs space',
  description: 'Its id, pages and guests stay the same.',
  example: { body: { name: 'Team handbook' } },
  auth: token(),
  body: SpaceBody,
  responses: { 200: Space },
  refusals: [refused.spaceNotFound],
})

/** Admins only, because it also removes every guest of the space. */
export const deleteSpace = route({
  ...oneSpace,
  id: 'docs.deleteSpace',
  method: 'DELETE',
  path: '/api/v1/docs/spaces/{space_id}',
  summary: 'Delete a docs space with its pages and guest access',
  description: 'This cannot be undone.',
  auth: adminToken(),
  responses: { 200: z.object({ deleted: z.literal(true) }) },
  refusals: [refused.spaceNotFound],
})
