import type { Actor, FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import { settleCard } from '#modules/inbox'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import { deriveSettled, deriveWanted } from './readers.rules.ts'
import { tellReaders } from './tell-readers.service.ts'

/** What a change means for inboxes, as statements that go out with those of the change. Mostly none. */
export function tellOfChange(
  ctx: BrandTx,
  was: FullCard,
  change: Readonly<Record<string, unknown>>,
  by: Actor,
): Promise<void>[] {
  const after = { ...was, ...(change as Partial<FullCard>) }
  const settled = deriveSettled(was, after)
  const wanted = deriveWanted(was, after, by)
  const sent: Promise<void>[] = []
  if (settled.length > 0) sent.push(settleCard(ctx, was.id, settled))
  if (wanted.length > 0) sent.push(tellReaders(ctx, [{ card: after, wanted, actor: by }]))
  return sent
}
