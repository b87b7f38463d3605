import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import { tellOfCards } from '#modules/inbox'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import { readWatcherRows } from '../watchers/watch.service.ts'
import { readersOf, type Wanted } from './readers.rules.ts'
import { findToldCard } from './told-card.store.ts'

interface Telling {
  readonly card: {
    readonly id: string
    readonly board_id: string
    readonly ref: string
    readonly title: string
  }
  readonly wanted: readonly Wanted[]
  readonly actor: Actor
}

/** Of several cards, in one statement and without waiting for anything. */
export const tellReaders = (ctx: BrandTx, tellings: readonly Telling[]): Promise<void> =>
  tellOfCards(
    ctx,
    tellings.flatMap(({ card: { id: card_id, board_id, ref, title }, wanted, actor }) =>
      wanted.map((each) => ({ ...each, card_id, board_id, ref, title, actor })),
    ),
  )

/** Work on a card has failed, or its worker is gone. */
export async function tellBroke(
  ctx: BrandTx,
  card_id: string,
  { reason, actor }: { readonly reason: string | null; readonly actor: Actor },
): Promise<void> {
  const card = await findToldCard(ctx, card_id)
  if (!card) return
  const rows = await readWatcherRows(ctx, card_id)
  const wanted = readersOf(card, rows, actor).map((person_id) => ({
    person_id,
    kind: 'broke' as const,
    reason,
  }))
  await tellReaders(ctx, [{ card, wanted, actor }])
}
