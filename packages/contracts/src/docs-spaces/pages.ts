import { z } from 'zod'
import { route, token } from '../route.ts'
import { Timestamp, text, Uuid, words } from '../wire.ts'
import * as refused from './refusals.ts'
import { oneSpace, pageQuery } from './spaces.ts'

/** A page without its body, as in lists. */
const PageEntry = z
  .object({
    id: Uuid,
    title: z.string(),
    /** The author under the name of that day. Kept when that person leaves. */
    author: z.object({ user_id: z.int(), name: z.string() }),
    /** Incremented by each change. */
    version: z.int(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'DocsPageEntry' })
export type PageEntry = z.infer<typeof PageEntry>

/** The body is Markdown, stored unchanged. */
export const Page = PageEntry.extend({ body: z.string() }).meta({ id: 'DocsPage' })
export type Page = z.infer<typeof Page>

const Title = words(200)
const Markdown = text(0, 100_000)
export const NewPage = z.object({ title: Title, body: Markdown })
export type NewPage = z.infer<typeof NewPage>
export const PageChange = z
  .object({
    title: Title.optional(),
    body: Markdown.optional(),
    /** The version that the caller has read; if the page has another one by now, nothing is written. */
    if_version: z.int().min(1).max(2_147_483_647).optional(),
  })
  .refine(({ title, body }) => title !== undefined || body !== undefined, 'needs a title or a body')
export type PageChange = z.infer<typeof PageChange>

export const PageList = z.object({ pages: z.array(PageEntry), next_after: Uuid.nullable() })
export const onePage = {
  params: z.object({ space_id: Uuid, page_id: Uuid }),
  resources: { space_id: 'docs_space', page_id: 'docs_page' },
  missing: refused.pageNotFound,
} as const

export const listPages = route({
  ...oneSpace,
  id: 'docs.listPages',
  method: 'GET',
  path: '/api/v1/docs/spaces/{space_id}/pages',
  summary: 'List the pages of a docs space, without their bodies',
  description: 'Oldest first. Pass `next_after` of one page as `after` of the next.',
  example: { query: { limit: '50' } },
  auth: token(),
  query: pageQuery,
  responses: { 200: PageList },
  refusals: [refused.spaceNotFound],
})

export const createPage = route({
  ...oneSpace,
  id: 'docs.createPage',
  method: 'POST',
  path: '/api/v1/docs/spaces/{space_id}/pages',
  summary: 'Create a page',
  description: '`body` is Markdown and is stored unchanged.',
  example: { body: { title: 'How we work', body: '# How we work\n\nSmall steps.' } },
  auth: token(),
  body: NewPage,
  responses: { 201: Page },
  refusals: [refused.spaceNotFound, refused.pageLimit],
})

export const getPage = route({
  ...onePage,
  id: 'docs.getPage',
  method: 'GET',
  path: '/api/v1/docs/spaces/{space_id}/pages/{page_id}',
  summary: 'Get a page with its body',
  description:
    'Send `version` as `if_version` with your next change, so that you never overwrite someone else’s.',
  auth: token(),
  responses: { 200: Page },
  refusals: [refused.pageNotFound],
})

export const changePage = route({
  ...onePage,
  id: 'docs.changePage',
  method: 'PATCH',
  path: '/api/v1/docs/spaces/{space_id}/pages/{page_id}',
  summary: 'Change the title or body of a page',
  description:
    'Requires `title`, `body` or both. With `if_version`, the change gets 409 if the page has changed in the meantime.',
  example: { body: { title: 'How we work together' } },
  auth: token(),
  body: PageChange,
  responses: { 200: Page },
  refusals: [refused.pageNotFound, refused.pageChanged],
})

export const deletePage = route({
  ...onePage,
  id: 'docs.deletePage',
  method: 'DELETE',
  path: '/api/v1/docs/spaces/{space_id}/pages/{page_id}',
  summary: 'Delete a page',
  description: 'This cannot be undone.',
  auth: token(),
  responses: { 200: z.object({ deleted: z.literal(true) }) },
  refusals: [refused.pageNotFound],
})
