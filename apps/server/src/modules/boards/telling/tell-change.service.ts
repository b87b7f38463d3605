import type { Actor, FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import { settleCard } from '#modules/inbox'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import { newMentions, peopleOf } from '../mentions/mentions.rules.ts'
import { resolveMentions } from '../mentions/mentions.service.ts'
import { joinCards, readWatcherRows } from '../watchers/watch.service.ts'
import { concernsWatchers, deriveSettled, deriveWanted, wantedBy } from './readers.rules.ts'
import { tellReaders } from './tell-readers.service.ts'

interface Told {
  /** For the feed. */
  readonly mentions: readonly string[]
  /** Statements that go out with those of the change. Mostly none. */
  send(): Promise<void>[]
}

/** What a change means for inboxes and watchers. Asks the database only if it mentions or concerns others. */
export async function planTelling(
  ctx: BrandTx,
  was: FullCard,
  change: Readonly<Record<string, unknown>>,
  by: Actor,
): Promise<Told> {
  const after = { ...was, ...(change as Partial<FullCard>) }
  const named = newMentions(was.description, after.description)
  const [mentions = []] = named.length > 0 ? await resolveMentions(ctx, [{ named, by }]) : []
  const people = peopleOf(mentions)
  const rows = concernsWatchers(was, after) ? await readWatcherRows(ctx, was.id) : []
  const settled = deriveSettled(was, after)
  const wanted = [...deriveWanted(was, after, by, rows), ...wantedBy(people, by)]
  return {
    mentions,
    send: () => [
      ...(settled.length > 0 ? [settleCard(ctx, was.id, settled)] : []),
      ...(wanted.length > 0 ? [tellReaders(ctx, [{ card: after, wanted, actor: by }])] : []),
      ...(people.length > 0
        ? [
            joinCards(
              ctx,
              people.map((person_id) => ({ card_id: was.id, person_id })),
            ),
          ]
        : []),
    ],
  }
}
