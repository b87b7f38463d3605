import { z } from 'zod'
import { person, route } from '../route.ts'
import { Timestamp, Uuid } from '../wire.ts'
import { editorRequired, GuestRole } from '../workspaces/guests.ts'
import { NewPage, Page, PageChange, PageList } from './pages.ts'
import * as refused from './refusals.ts'
import { pageQuery } from './spaces.ts'

/** A docs space of another workspace, as its guest sees it. */
export const SharedSpace = z
  .object({ id: Uuid, brand_id: z.int(), name: z.string(), role: GuestRole, added_at: Timestamp })
  .meta({ id: 'SharedDocsSpace' })
export type SharedSpace = z.infer<typeof SharedSpace>

// Sessions only: a token acts for one workspace and must not reach others.
const auth = person('session')
const oneShared = {
  auth,
  params: z.object({ space_id: Uuid }),
  resources: { space_id: 'shared_docs_space' },
  missing: refused.spaceNotFound,
} as const
const onePage = {
  auth,
  path: '/api/v1/docs/shared/{space_id}/pages/{page_id}',
  params: z.object({ space_id: Uuid, page_id: Uuid }),
  resources: { space_id: 'shared_docs_space', page_id: 'shared_docs_page' },
  missing: refused.pageNotFound,
} as const

export const listShared = route({
  id: 'docs.listShared',
  method: 'GET',
  path: '/api/v1/docs/shared',
  summary: 'List the docs spaces that other workspaces share with the caller',
  description: 'For guests. Requires a session, because a token acts for one workspace only.',
  example: { query: { limit: '50' } },
  auth,
  query: pageQuery,
  responses: { 200: z.object({ spaces: z.array(SharedSpace), next_after: Uuid.nullable() }) },
})

export const getShared = route({
  ...oneShared,
  id: 'docs.getShared',
  method: 'GET',
  path: '/api/v1/docs/shared/{space_id}',
  summary: 'Get a shared docs space',
  description: 'For guests. `role` says what the caller may do.',
  responses: { 200: SharedSpace },
  refusals: [refused.spaceNotFound],
})

export const listSharedPages = route({
  ...oneShared,
  id: 'docs.listSharedPages',
  method: 'GET',
  path: '/api/v1/docs/shared/{space_id}/pages',
  summary: 'List the pages of a shared docs space, without their bodies',
  description: 'For guests. Pass `next_after` of one page as `after` of the next.',
  example: { query: { limit: '50' } },
  query: pageQuery,
  responses: { 200: PageList },
  refusals: [refused.spaceNotFound],
})

export const createSharedPage = route({
  ...oneShared,
  id: 'docs.createSharedPage',
  method: 'POST',
  path: '/api/v1/docs/shared/{space_id}/pages',
  summary: 'Create a page in a shared docs space',
  description: 'For guests who are editors.',
  example: { body: { title: 'Questions', body: 'Where is the crank?' } },
  body: NewPage,
  responses: { 201: Page },
  refusals: [refused.spaceNotFound, editorRequired, refused.pageLimit],
})

export const getSharedPage = route({
  ...onePage,
  id: 'docs.getSharedPage',
  method: 'GET',
  summary: 'Get a page of a shared docs space',
  description: 'For guests. The body is Markdown.',
  responses: { 200: Page },
  refusals: [refused.pageNotFound],
})

export const changeSharedPage = route({
  ...onePage,
  id: 'docs.changeSharedPage',
  method: 'PATCH',
  summary: 'Change a page of a shared docs space',
  description:
    'For guests who are editors. With `if_version`, the change gets 409 if the page has changed in the meantime.',
  example: { body: { body: 'Where is the second crank?' } },
  body: PageChange,
  responses: { 200: Page },
  refusals: [refused.pageNotFound, editorRequired, refused.pageChanged],
})
