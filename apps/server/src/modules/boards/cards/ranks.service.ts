import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import { type ColumnRow, updateRanksVersion } from '../boards/columns.store.ts'
import { deriveSpread, isShort, longestRank } from '../card-data/ranks.rules.ts'
import * as store from '../card-data/ranks.store.ts'
import { recordActivity } from '../writes/record-activity.service.ts'

/** Cards on each side that are moved at most to make room. The last is taken, whatever comes of it. */
const reaches = [32, 128, 512] as const

const nobody: Promise<store.RankedCard[]> = Promise.resolve([])

interface Gap {
  readonly above: string | null
  readonly below: string | null
}
interface Moving {
  readonly id: string
  readonly column_id: string
  readonly rank: string
}

/**
 * A rank between two neighbours, for a card that comes there. Where it would be too long, cards around it get new
 * ranks in the same order: only as many as it takes. Only under the lock of the board.
 */
export async function rankBetween(
  ctx: BrandTx,
  column: ColumnRow,
  gap: Gap,
  { card, actor }: { readonly card: Moving; readonly actor: Actor },
): Promise<string> {
  const rank = generateKeyBetween(gap.above, gap.below)
  if (rank.length <= longestRank) return rank
  const { id: column_id, board_id } = column
  for (const reach of reaches) {
    const around = { board_id, column_id, besides: card.id, limit: reach + 1 }
    const [up, down] = await ctx.db.inOrder([
      gap.above === null ? nobody : store.listUpTo(ctx, { ...around, rank: gap.above }),
      gap.below === null ? nobody : store.listFrom(ctx, { ...around, rank: gap.below }),
    ])
    const above = up.slice(0, reach).toReversed()
    const cards = [...above, ...down.slice(0, reach)]
    // The card that moves has its old rank until it is written.
    const taken = new Set([...cards.map((each) => each.rank), card.rank])
    const count = cards.length + 1
    const [top, bottom] = [up[reach]?.rank ?? null, down[reach]?.rank ?? null]
    const ranks = deriveSpread(generateNKeysBetween(top, bottom, count + taken.size), count, taken)
    if (!isShort(ranks) && reach !== reaches.at(-1)) continue
    const [mine] = ranks.splice(above.length, 1)
    await ctx.db.inOrder([
      store.updateRanks(
        ctx,
        { board_id, column_id },
        cards.map(({ id }, at) => ({ id, rank: ranks[at] as string })),
      ),
      updateRanksVersion(ctx, column_id),
    ])
    const data = { column: column.name, fields: ['ranks'] }
    await recordActivity(ctx, { board_id, action: 'column.updated', card_id: null, actor, data })
    return mine as string
  }
  throw new Error('a column has no last reach')
}
