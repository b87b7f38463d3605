import type { OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import type { ErasedPerson, Next } from '#platform/erasure/erasure-part.ts'
import * as store from './erase-docs.store.ts'

const bite = 1000
const nothing = '00000000-0000-0000-0000-000000000000'
const start: store.PagePlace = { brand_id: 0, space_id: nothing, id: nothing }

/** Pages belong to the workspace and stay; who wrote them is forgotten. */
export async function erasePersonFromDocs(
  ctx: OutsideSystemCtx,
  { id }: ErasedPerson,
  position: string,
): Promise<Next> {
  if (position === '') await store.deleteGuestEverywhere(ctx, id)
  const last = await store.updateAuthors(ctx, position ? JSON.parse(position) : start, id, bite)
  return last && JSON.stringify(last)
}

/** Guests first: their rows alone grant access. */
export const docsRowsOfBrand = [store.deleteGuests, store.deletePages, store.deleteSpaces]
