import { SearchFilters } from '@crewhall/contracts/boards/search.ts'
import {
  boardOfViewMissing,
  mostOwnViews,
  mostSharedViews,
  notTheOwner,
  type View,
  viewLimit,
  viewNotFound,
} from '@crewhall/contracts/boards/views.ts'
import type { Paging } from '@crewhall/contracts/wire.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { areBoards } from '../boards/known-boards.service.ts'
import { searchCards } from '../find/find.service.ts'
import * as store from './views.store.ts'

type Filters = Readonly<Record<string, string>>

export async function listViewPage(ctx: BrandCtx, { page, per_page }: Paging) {
  const person_id = personOf(ctx)
  const [views, { listed: total }] = await Promise.all([
    store.listViews(ctx, { person_id, limit: per_page, offset: (page - 1) * per_page }),
    store.countViews(ctx, person_id),
  ])
  return { items: views.map(present), total, page, per_page }
}

interface NewView {
  readonly name: string
  readonly filters: Filters
  readonly shared?: boolean | undefined
}

export const addView = (ctx: BrandCtx, { name, filters, shared = false }: NewView): Promise<View> =>
  ctx.tx(async (ctx) => {
    await refuseBoards(ctx, filters)
    await store.lockViews(ctx)
    const person_id = personOf(ctx)
    const { own, shared: all } = await store.countViews(ctx, person_id)
    if (own >= mostOwnViews || (shared && all >= mostSharedViews)) throw viewLimit()
    const written = { person_id, name, is_shared: shared, filters: JSON.stringify(filters) }
    return presentOrThrow(await store.insertView(ctx, written))
  })

export async function getView(ctx: BrandCtx, id: string): Promise<View> {
  return present(await visible(ctx, id))
}

interface ViewChange {
  readonly name?: string | undefined
  readonly filters?: Filters | undefined
  readonly shared?: boolean | undefined
}

export const changeView = (ctx: BrandCtx, id: string, change: ViewChange): Promise<View> =>
  ctx.tx(async (ctx) => {
    await store.lockViews(ctx)
    const view = await own(ctx, id)
    const { name = view.name, filters = view.filters, shared = view.is_shared } = change
    if (change.filters) await refuseBoards(ctx, filters)
    if (shared && !view.is_shared) {
      if ((await store.countViews(ctx, personOf(ctx))).shared >= mostSharedViews) throw viewLimit()
    }
    // One that nobody owns any more would be nobody's to see.
    if (!shared && view.person_id !== personOf(ctx)) throw notTheOwner()
    const written = { id, name, is_shared: shared, filters: JSON.stringify(filters) }
    return presentOrThrow(await store.updateView(ctx, written))
  })

export const removeView = (ctx: BrandCtx, id: string) =>
  ctx.tx(async (ctx) => {
    await store.lockViews(ctx)
    await own(ctx, id)
    await store.deleteView(ctx, id)
    return { removed: true as const }
  })

/** What was saved is read as the query of a call, so it means the same and is refused alike. */
export async function listCardsOfView(ctx: BrandCtx, id: string, paging: Paging) {
  const { filters } = await visible(ctx, id)
  return searchCards(ctx, { ...SearchFilters.parse(filters), ...paging })
}

async function refuseBoards(ctx: BrandCtx, filters: Filters): Promise<void> {
  const { board_ids } = SearchFilters.parse(filters)
  if (board_ids && !(await areBoards(ctx, board_ids))) throw boardOfViewMissing()
}

/** Of a view that somebody else keeps for themselves, nobody learns that it exists. */
async function visible(ctx: BrandCtx, id: string): Promise<store.ViewRow> {
  const view = await store.findView(ctx, id)
  if (!view || !(view.is_shared || view.person_id === personOf(ctx))) throw viewNotFound()
  return view
}

async function own(ctx: BrandTx, id: string): Promise<store.ViewRow> {
  const view = await visible(ctx, id)
  const isAdmin = ctx.actor.kind === 'person' && ctx.actor.role === 'admin'
  if (view.person_id !== personOf(ctx) && !isAdmin) throw notTheOwner()
  return view
}

/** Agents have the views of the person for whom they act. */
function personOf({ actor }: BrandCtx): number {
  if (actor.kind !== 'person') throw viewNotFound()
  return actor.person_id
}

function presentOrThrow(row: store.ViewRow | undefined): View {
  if (!row) throw viewNotFound()
  return present(row)
}

const present = ({
  id,
  name,
  person_id,
  is_shared,
  filters,
  created_at,
  updated_at,
}: store.ViewRow): View => ({
  id,
  name,
  user_id: person_id,
  shared: is_shared,
  filters,
  created_at,
  updated_at,
})
