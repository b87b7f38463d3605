import type { NewPage, Page, PageChange } from '@crewhall/contracts/docs-spaces/pages.ts'
import { pageNotFound, spaceNotFound } from '@crewhall/contracts/docs-spaces/refusals.ts'
import type { SharedSpace } from '@crewhall/contracts/docs-spaces/shared.ts'
import type { PageQuery } from '@crewhall/contracts/docs-spaces/spaces.ts'
import { notAuthenticated } from '@crewhall/contracts/identity/refusals.ts'
import type { RefusalKind } from '@crewhall/contracts/refusal.ts'
import { editorRequired } from '@crewhall/contracts/workspaces/guests.ts'
import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { lockRole } from '../guests/space-guests.store.ts'
import { fromStart, pageOf } from '../list-page.rules.ts'
import * as pages from '../pages/pages.service.ts'
import { holdSpace } from '../spaces/spaces.store.ts'
import * as store from './shared.store.ts'

interface Place {
  readonly space_id: string
  readonly page_id: string
}

export async function listSharedWith(ctx: SystemCtx, { after = fromStart, limit }: PageQuery) {
  const wanted = { person_id: callerOf(ctx), after, limit: limit + 1 }
  const { page, next_after } = pageOf(isProven(ctx) ? await store.listShared(ctx, wanted) : [], limit)
  return { spaces: page, next_after }
}

/**
 * What is not shared with the caller and what does not exist are one answer from one query. So is what was shared
 * with an address that the caller has not proven to be theirs (S1).
 */
export async function getShared(
  ctx: SystemCtx,
  space_id: string,
  refused: RefusalKind = spaceNotFound,
): Promise<SharedSpace> {
  const shared = await store.findShared(ctx, callerOf(ctx), space_id)
  if (!shared || !isProven(ctx)) throw refused()
  return shared
}

export async function listPagesForGuest(ctx: SystemCtx, space_id: string, query: PageQuery) {
  const { brand_id } = await getShared(ctx, space_id)
  return pages.listPagesOf(ctx.forBrand(brand_id), space_id, query)
}

export async function getPageForGuest(ctx: SystemCtx, place: Place): Promise<Page> {
  const { brand_id } = await getShared(ctx, place.space_id, pageNotFound)
  return pages.getPage(ctx.forBrand(brand_id), place)
}

export async function writePageAsGuest(ctx: SystemCtx, space_id: string, page: NewPage): Promise<Page> {
  const { brand_id } = await getShared(ctx, space_id)
  return asEditor(ctx.forBrand(brand_id), { space_id, person_id: callerOf(ctx) }, spaceNotFound, (ctx) =>
    pages.writePage(ctx, space_id, page),
  )
}

export async function changePageAsGuest(ctx: SystemCtx, place: Place, change: PageChange): Promise<Page> {
  const { space_id } = place
  const { brand_id } = await getShared(ctx, space_id, pageNotFound)
  return asEditor(ctx.forBrand(brand_id), { space_id, person_id: callerOf(ctx) }, pageNotFound, (ctx) =>
    pages.changePage(ctx, place, change),
  )
}

/** The role is held until the end of the write: somebody who has lost it meanwhile writes nothing. */
const asEditor = <T>(
  ctx: BrandCtx,
  place: { readonly space_id: string; readonly person_id: number },
  refused: RefusalKind,
  work: (ctx: BrandTx) => Promise<T>,
): Promise<T> =>
  ctx.tx(async (ctx) => {
    // The space before the role, as whoever deletes the space takes its guests with it in that order.
    const held = (await holdSpace(ctx, place.space_id)) && (await lockRole(ctx, place))
    if (!held) throw refused()
    if (held.role !== 'editor') throw editorRequired()
    return work(ctx)
  })

const isProven = ({ actor }: SystemCtx): boolean => actor.kind === 'person' && actor.is_verified

function callerOf({ actor }: SystemCtx): number {
  if (actor.kind !== 'person') throw notAuthenticated()
  return actor.person_id
}
