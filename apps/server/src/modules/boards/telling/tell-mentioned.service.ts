import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import { newMentions, peopleOf } from '../mentions/mentions.rules.ts'
import { resolveMentions } from '../mentions/mentions.service.ts'
import { joinCards } from '../watchers/watch.service.ts'
import { wantedBy } from './readers.rules.ts'
import { tellReaders } from './tell-readers.service.ts'
import { findToldCard } from './told-card.store.ts'

/** Tells those whom a text mentions for the first time, and lets them watch the card. Returns all, for the feed. */
export async function tellMentioned(
  ctx: BrandTx,
  card_id: string,
  { before, after, by }: { readonly before: string; readonly after: string; readonly by: Actor },
): Promise<string[]> {
  const named = newMentions(before, after)
  if (named.length === 0) return []
  const [mentions = []] = await resolveMentions(ctx, [{ named, by }])
  const people = peopleOf(mentions)
  const card = people.length > 0 ? await findToldCard(ctx, card_id) : undefined
  if (card) {
    await tellReaders(ctx, [{ card, wanted: wantedBy(people, by), actor: by }])
    await joinCards(
      ctx,
      people.map((person_id) => ({ card_id, person_id })),
    )
  }
  return mentions
}
