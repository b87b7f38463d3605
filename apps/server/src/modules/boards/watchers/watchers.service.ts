import { cardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import { mostWatchers, watcherLimit } from '@crewhall/contracts/boards/watchers.ts'
import { listMembersAmong, listPeople } from '#modules/identity'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { findCard } from '../card-data/cards.store.ts'
import { withCard } from '../cards/locked-card.service.ts'
import { watchersOf } from '../telling/readers.rules.ts'
import { mostRows } from './watch.service.ts'
import * as store from './watchers.store.ts'

export async function listWatchersOf(ctx: BrandCtx, card_id: string) {
  const [card, rows] = await Promise.all([
    findCard(ctx, card_id),
    store.listWatcherRows(ctx, card_id, mostRows),
  ])
  if (!card) throw cardNotFound()
  const ids = await listMembersAmong(ctx, watchersOf(card, rows))
  const people = await listPeople(ctx, ids)
  return {
    watching: ids.includes(personOf(ctx)),
    items: people.map(({ id, full_name }) => ({ user_id: id, name: full_name })),
  }
}

/** Under the lock of the board, as everything about a card: so the limit holds. */
export const watch = (ctx: BrandCtx, card_id: string, is_watching: boolean) =>
  withCard(ctx, card_id, async (ctx) => {
    const person_id = personOf(ctx)
    const rows = await store.listWatcherRows(ctx, card_id, mostRows)
    const others = rows.filter((row) => row.is_watching && row.person_id !== person_id)
    if (is_watching && others.length >= mostWatchers) throw watcherLimit()
    await store.upsertWatcher(ctx, { card_id, person_id, is_watching })
    return { watching: is_watching }
  })

/** Agents watch for the person for whom they act. */
function personOf({ actor }: BrandCtx): number {
  if (actor.kind !== 'person') throw cardNotFound()
  return actor.person_id
}
