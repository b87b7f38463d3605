import type { OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import { deleteSums } from '../attachments/attachments.store.ts'
import { hookRowsOfBrand } from '../hooks/hooks.service.ts'
import { deleteSomeMade, deleteSomeRows } from '../imports/import-rows.store.ts'
import { deleteSomeImports } from '../imports/imports.store.ts'
import { deleteViews } from '../views/views.store.ts'
import * as store from './brand-boards.store.ts'

/** Much hangs on each card. */
const cardBite = 250

async function deleteSomeCards(ctx: OutsideBrandCtx, limit: number): Promise<number> {
  const ids = await store.listSomeCards(ctx, cardBite)
  await ctx.tx((ctx) => store.deleteCards(ctx, ids))
  return ids.length < cardBite ? 0 : limit
}

/** In dependency order. Guests first: their rows alone grant access. Hooks before cards: nothing more is told of them. */
export const boardRowsOfBrand = [
  store.deleteGuests,
  deleteViews,
  deleteSomeRows,
  deleteSomeMade,
  deleteSomeImports,
  ...hookRowsOfBrand,
  deleteSomeCards,
  deleteSums,
  store.deleteActivity,
  store.deleteBoards,
]
