import { z } from 'zod'
import { route, token } from '../route.ts'
import { Timestamp, text, Uuid, words } from '../wire.ts'
import * as refused from './refusals.ts'
import { oneSpace, pageQuery } from './spaces.ts'

/** A page without its body, as lists have it. */
const PageEntry = z
  .object({
    id: Uuid,
    title: z.string(),
    /** Who made it, as they were called then. Stays when that person leaves. */
    author: z.object({ user_id: z.int(), name: z.string() }),
    /** Rises with every change. */
    version: z.int(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'DocsPageEntry' })
export type PageEntry = z.infer<typeof PageEntry>

/** The body is Markdown, kept as it was written. */
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
    /** The version that was read; when the page has another one by now, nothing is written. */
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
  summary: 'Pages of a docs space without their bodies',
  description:
    'In the order in which they were created. Pass `next_after` of one page as `after` of the next.',
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
  summary: 'Writes a page',
  description: '`body` is Markdown and kept as written.',
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
  summary: 'One page with its body',
  description:
    'Keep `version` and send it as `if_version` with a change, so that you never overwrite somebody else’s.',
  auth: token(),
  responses: { 200: Page },
  refusals: [refused.pageNotFound],
})

export const changePage = route({
  ...onePage,
  id: 'docs.changePage',
  method: 'PATCH',
  path: '/api/v1/docs/spaces/{space_id}/pages/{page_id}',
  summary: 'Changes title or body of a page',
  description:
    'At least one of `title` and `body` is needed. With `if_version` a page that has changed meanwhile is refused with 409.',
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
  summary: 'Deletes a page',
  description: 'It cannot be undone.',
  auth: token(),
  responses: { 200: z.object({ deleted: z.literal(true) }) },
  refusals: [refused.pageNotFound],
})
