import { randomUUIDv7 } from 'node:crypto'
import type { NewPage, Page, PageChange } from '@crewhall/contracts/docs-spaces/pages.ts'
import {
  pageChanged,
  pageLimit,
  pageNotFound,
  spaceNotFound,
} from '@crewhall/contracts/docs-spaces/refusals.ts'
import type { PageQuery } from '@crewhall/contracts/docs-spaces/spaces.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { fromStart, pageOf } from '../list-page.rules.ts'
import { findSpace, lockSpace } from '../spaces/spaces.store.ts'
import { presentEntry, presentPage } from './pages.present.ts'
import * as store from './pages.store.ts'

const maxPages = 2000

interface PageRef {
  readonly space_id: string
  readonly page_id: string
}

export async function listPagesOf(ctx: BrandCtx, space_id: string, { after = fromStart, limit }: PageQuery) {
  if (!(await findSpace(ctx, space_id))) throw spaceNotFound()
  const rows = await store.listPages(ctx, { space_id, after, limit: limit + 1 })
  const { page, next_after } = pageOf(rows, limit)
  return { pages: page.map(presentEntry), next_after }
}

export async function getPage(ctx: BrandCtx, { space_id, page_id }: PageRef): Promise<Page> {
  const row = await store.findPage(ctx, { space_id, id: page_id })
  if (!row) throw pageNotFound()
  return presentPage(row)
}

export const writePage = (ctx: BrandCtx, space_id: string, page: NewPage): Promise<Page> =>
  ctx.tx(async (ctx) => {
    // The lock comes before the count: two writers at once would each see the last free place.
    if (!(await lockSpace(ctx, space_id))) throw spaceNotFound()
    if ((await store.countPages(ctx, space_id)) >= maxPages) throw pageLimit()
    const row = await store.insertPage(ctx, { space_id, id: randomUUIDv7(), ...page, ...authorOf(ctx) })
    if (!row) throw spaceNotFound()
    return presentPage(row)
  })

export async function changePage(
  ctx: BrandCtx,
  { space_id, page_id: id }: PageRef,
  { title = null, body = null, if_version = null }: { [K in keyof PageChange]: PageChange[K] | null },
): Promise<Page> {
  const row = await store.updatePage(ctx, { space_id, id, title, body, if_version })
  if (row) return presentPage(row)
  throw (await store.findPage(ctx, { space_id, id })) ? pageChanged() : pageNotFound()
}

export async function discardPage(ctx: BrandCtx, { space_id, page_id }: PageRef): Promise<void> {
  if ((await store.deletePage(ctx, { space_id, id: page_id })) === 0) throw pageNotFound()
}

/** GST-21: the page stores id and name of its author, so it stays attributed whatever happens to the person. */
function authorOf({ actor }: BrandTx) {
  if (actor.kind !== 'person') throw spaceNotFound()
  return { author_id: actor.person_id, author_name: actor.name }
}
