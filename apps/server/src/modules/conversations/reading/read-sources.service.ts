import type { OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import type { Dispatcher } from '#platform/jobs/dispatcher.ts'
import { type DueReading, listDueReadings } from './reading.store.ts'
import { claimTurn, type TurnDeps, takeTurn } from './turn.service.ts'

export interface ReadSourcesDeps extends TurnDeps {
  readonly dispatcher: Dispatcher
}

const sourcesAtOnce = 100

/**
 * CONV-11: every source whose time has come has a turn; one with more to read has its next after all others, until the
 * signal comes. `stored` is told where something new is.
 */
export async function readSources(
  ctx: OutsideSystemCtx,
  deps: ReadSourcesDeps,
  stored: (source: DueReading) => void,
  signal: AbortSignal,
): Promise<void> {
  const { dispatcher, readers } = deps
  const names = Object.keys(readers)
  for (let isMore = names.length > 0; isMore && !signal.aborted; ) {
    let turns = 0
    const sources = await listDueReadings(ctx, names, sourcesAtOnce)
    for (const source of sources) {
      const brand = ctx.forBrand(source.brand_id)
      const owner = String(source.brand_id)
      dispatcher.start({
        key: source.source_id,
        wanted: { owner, receiver: owner, is_slow: false },
        claim: () => (signal.aborted ? Promise.resolve(undefined) : claimTurn(brand, source.source_id)),
        async work(reading, slot) {
          turns += 1
          if (await takeTurn(brand, deps, reading, slot.signal)) stored(source)
        },
        // Its lease ends, and a later one finds it.
        failed: (error) =>
          ctx.log.warn({ error, source_id: source.source_id }, 'reading a source was cut off'),
      })
    }
    while (dispatcher.keys.length > 0) await dispatcher.next()
    isMore = turns > 0
  }
}
