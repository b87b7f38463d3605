import type { OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import type { ErasedPerson, Next } from '#platform/erasure/erasure-part.ts'
import { lockBoards } from '../boards/boards.store.ts'
import { boardSharing } from '../guests/board-guests.service.ts'
import { updatePersonGone } from '../imports/imports.store.ts'
import { deleteViewsOf, listBrandsOfViews } from '../views/views.store.ts'
import { deleteWatching } from '../watchers/watchers.store.ts'
import * as store from './person-words.store.ts'

/** Cards that are looked at in one statement, and locked if they name the person. */
const cardBite = 250
const entryBite = 2000

type Position = store.BoardRef & { number?: number; created_at?: string; id?: string }
const start: Position = { brand_id: 0, board_id: '00000000-0000-0000-0000-000000000000' }

/**
 * What a person wrote on a board belongs to the workspace and stays; their name is removed. They may appear on any board,
 * even as a former guest, so all boards are searched.
 */
export async function erasePersonFromBoards(
  ctx: OutsideSystemCtx,
  person: ErasedPerson,
  position: string,
): Promise<Next> {
  if (position === '') {
    await leaveBoards(ctx, person.id)
    await leaveViews(ctx, person.id)
    await deleteWatching(ctx, person.id)
    await updatePersonGone(ctx, person.id)
  }
  const at: Position = position ? JSON.parse(position) : start
  if (at.number !== undefined) return JSON.stringify(await biteCards(ctx, person.id, at, at.number))
  if (at.created_at !== undefined) return JSON.stringify(await biteEntries(ctx, person.id, at))
  const next = await store.findNextBoard(ctx, { brand_id: at.brand_id, board_id: at.board_id })
  return next && JSON.stringify({ ...next, number: 0 })
}

async function leaveBoards(ctx: OutsideSystemCtx, person_id: number): Promise<void> {
  for (const brand_id of await store.listBrandsOfGuest(ctx, person_id))
    await ctx.forBrand(brand_id).tx((ctx) => boardSharing.access.remove(ctx, person_id))
}

async function leaveViews(ctx: OutsideSystemCtx, person_id: number): Promise<void> {
  for (const brand_id of await listBrandsOfViews(ctx, person_id))
    await ctx.forBrand(brand_id).tx((ctx) => deleteViewsOf(ctx, person_id))
}

/** Matches the text form of jsonb. May find too many rows, never too few. */
const namedAs = (person: number): string => `"id": "${person}"|"(user_id|person_id)": ${person}[,}]`

async function biteCards(
  ctx: OutsideSystemCtx,
  person: number,
  { brand_id, board_id }: Position,
  number: number,
): Promise<Position> {
  const brand = ctx.forBrand(brand_id)
  const found = await store.findNamingCards(brand, {
    board_id,
    number,
    bite: cardBite,
    named: namedAs(person),
  })
  const ids = found?.ids ?? []
  if (ids.length > 0)
    await brand.tx(async (ctx) => {
      await lockBoards(ctx, [board_id])
      await store.updateNamingCards(ctx, ids, person)
    })
  if (typeof found?.last === 'number') return { brand_id, board_id, number: found.last }
  return { brand_id, board_id, created_at: '-infinity', id: '0' }
}

async function biteEntries(ctx: OutsideSystemCtx, person: number, at: Position): Promise<Position> {
  const { brand_id, board_id, created_at = '-infinity', id = '0' } = at
  const last = await store.updateNamingActivity(ctx.forBrand(brand_id), {
    board_id,
    created_at,
    id,
    bite: entryBite,
    named: namedAs(person),
    person,
  })
  return last ? { brand_id, board_id, ...last } : { brand_id, board_id }
}
