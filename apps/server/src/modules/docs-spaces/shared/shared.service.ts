import type { NewPage, Page, PageChange } from '@crewhall/contracts/docs-spaces/pages.ts'
import { pageNotFound, spaceNotFound } from '@crewhall/contracts/docs-spaces/refusals.ts'
import type { SharedSpace } from '@crewhall/contracts/docs-spaces/shared.ts'
import type { PageQuery } from '@crewhall/contracts/docs-spaces/spaces.ts'
import type { RefusalKind } from '@crewhall/contracts/refusal.ts'
import { createSharedWithMe } from '#modules/workspaces'
import type { BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { spaceSharing } from '../guests/space-guests.service.ts'
import * as pages from '../pages/pages.service.ts'
import { holdSpace } from '../spaces/spaces.store.ts'
import { sharedColumns } from './shared.store.ts'

const sharedWithMe = createSharedWithMe<SharedSpace>(spaceSharing, sharedColumns)

interface PageRef {
  readonly space_id: string
  readonly page_id: string
}

export async function listSharedWith(ctx: SystemCtx, query: PageQuery) {
  const { page, next_after } = await sharedWithMe.list(ctx, query)
  return { spaces: page, next_after }
}

export const getShared = async (ctx: SystemCtx, space_id: string): Promise<SharedSpace> =>
  (await sharedWithMe.enter(ctx, space_id, spaceNotFound)).shared

export async function listPagesForGuest(ctx: SystemCtx, space_id: string, query: PageQuery) {
  const { inside } = await sharedWithMe.enter(ctx, space_id, spaceNotFound)
  return pages.listPagesOf(inside, space_id, query)
}

export async function getPageForGuest(ctx: SystemCtx, place: PageRef): Promise<Page> {
  const { inside } = await sharedWithMe.enter(ctx, place.space_id, pageNotFound)
  return pages.getPage(inside, place)
}

export const writePageAsGuest = (ctx: SystemCtx, space_id: string, page: NewPage): Promise<Page> =>
  asEditor(ctx, space_id, spaceNotFound, (ctx) => pages.writePage(ctx, space_id, page))

export const changePageAsGuest = (ctx: SystemCtx, place: PageRef, change: PageChange): Promise<Page> =>
  asEditor(ctx, place.space_id, pageNotFound, (ctx) => pages.changePage(ctx, place, change))

async function asEditor<T>(
  ctx: SystemCtx,
  space_id: string,
  absent: RefusalKind,
  work: (ctx: BrandTx) => Promise<T>,
): Promise<T> {
  const { inside } = await sharedWithMe.enter(ctx, space_id, absent)
  return inside.tx(async (ctx) => {
    // The space before the guest: deleting the space locks them in that order.
    if (!(await holdSpace(ctx, space_id))) throw absent()
    await sharedWithMe.requireRole(ctx, space_id, { role: 'editor', absent })
    return work(ctx)
  })
}
