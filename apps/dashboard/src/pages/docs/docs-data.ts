import type { Page, PageChange, PageEntry } from '@crewhall/contracts/docs-spaces/pages.ts'
import * as pages from '@crewhall/contracts/docs-spaces/pages.ts'
import type { Space } from '@crewhall/contracts/docs-spaces/spaces.ts'
import * as spaces from '@crewhall/contracts/docs-spaces/spaces.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import { queryOptions } from '@tanstack/react-query'
import { apiOf } from '../../api/api.ts'
import type { Action } from '../../api/own-fetch.ts'
import { docsHrefs, paths } from '../../app/paths.ts'

export const docsApi = apiOf({ docs: routesIn(spaces, pages) })

/** What the pages of documents show of a space, whoever looks. */
export interface SpaceFacts {
  readonly id: string
  readonly name: string
  /** Whether the reader may write pages, as the API says. */
  readonly can_write: boolean
}

interface NewText {
  readonly title: string
  readonly body: string
}

/** Documents of the workspace, or those that others share: two families of routes that say the same. */
export interface DocsSource {
  /** The first part of the keys of its queries. */
  readonly subject: 'docs' | 'shared-docs'
  /** What the list of its spaces is called. */
  readonly label: string
  readonly hrefs: ReturnType<typeof docsHrefs>
  readSpace(space_id: string, signal: AbortSignal): Promise<SpaceFacts>
  /** One part of the list; all parts together are at most 2,000 entries. */
  listPages(space_id: string, after: string | undefined, signal: AbortSignal): Promise<PagePart>
  readPage(space_id: string, page_id: string, signal?: AbortSignal): Promise<Page>
  createPage(action: Action, space_id: string, text: NewText): Promise<Page>
  changePage(action: Action, space_id: string, page_id: string, change: PageChange): Promise<Page>
}

interface PagePart {
  readonly pages: readonly PageEntry[]
  readonly next_after: string | null
}

/** The query of a part of a list of documents. */
export const partAfter = (after: string | undefined) =>
  after === undefined ? { limit: '100' } : { limit: '100', after }

export const ownDocs: DocsSource = {
  subject: 'docs',
  label: 'Documents',
  hrefs: docsHrefs(paths.docs),
  readSpace: async (space_id, signal) => {
    const { body } = await docsApi.reading(signal).docs.getSpace({ params: { space_id } })
    return { id: body.id, name: body.name, can_write: true }
  },
  listPages: async (space_id, after, signal) =>
    (await docsApi.reading(signal).docs.listPages({ params: { space_id }, query: partAfter(after) })).body,
  readPage: async (space_id, page_id, signal) =>
    (await docsApi.reading(signal).docs.getPage({ params: { space_id, page_id } })).body,
  createPage: async (action, space_id, body) =>
    (await docsApi.acting(action).docs.createPage({ params: { space_id }, body })).body,
  changePage: async (action, space_id, page_id, body) =>
    (await docsApi.acting(action).docs.changePage({ params: { space_id, page_id }, body })).body,
}

/** Documents have no events yet: what is open is asked for again, which costs a 304 where nothing has changed. */
const openMs = 4_000
const listMs = 10_000

export const spacesQuery = queryOptions({
  queryKey: ['docs', 'spaces'],
  queryFn: async ({ signal }) => {
    const found: Space[] = []
    let after: string | undefined
    do {
      const { body } = await docsApi.reading(signal).docs.listSpaces({ query: partAfter(after) })
      found.push(...body.spaces)
      after = body.next_after ?? undefined
    } while (after !== undefined)
    return found.sort(byName(({ name }) => name))
  },
  refetchInterval: listMs,
})

export const spaceQuery = (source: DocsSource, space_id: string) =>
  queryOptions({
    queryKey: [source.subject, space_id],
    queryFn: ({ signal }) => source.readSpace(space_id, signal),
    refetchInterval: listMs,
  })

export const pagesQuery = (source: DocsSource, space_id: string) =>
  queryOptions({
    queryKey: [source.subject, space_id, 'pages'],
    queryFn: async ({ signal }) => {
      const found: PageEntry[] = []
      let after: string | undefined
      do {
        const part = await source.listPages(space_id, after, signal)
        found.push(...part.pages)
        after = part.next_after ?? undefined
      } while (after !== undefined)
      return found.sort(byName(({ title }) => title))
    },
    // A list of many parts is asked for less often.
    refetchInterval: ({ state }) => ((state.data?.length ?? 0) > 100 ? 60_000 : listMs),
  })

export const pageQuery = (source: DocsSource, space_id: string, page_id: string) =>
  queryOptions({
    queryKey: [source.subject, space_id, 'page', page_id],
    queryFn: ({ signal }) => source.readPage(space_id, page_id, signal),
    refetchInterval: openMs,
    staleTime: 0,
  })

/** As people sort names: `2 Setup` before `10 Release`. */
function byName<Item>(nameOf: (item: Item) => string) {
  const order = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
  return (a: Item, b: Item): number => order.compare(nameOf(a), nameOf(b))
}
