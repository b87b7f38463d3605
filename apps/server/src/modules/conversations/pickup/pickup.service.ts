import type { OutsideBrandCtx, OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import type { Dispatcher, Slot } from '#platform/jobs/dispatcher.ts'
import { type Claim, claimConversations, type DueSource, listDueSources } from '../ledger/claims.service.ts'
import { leaseSeconds, type ReadDeps, readConversation } from './read.service.ts'

export interface PickUpDeps extends ReadDeps {
  readonly dispatcher: Dispatcher
}

const sourcesAtOnce = 100
/** Conversations of one source that are read at the same time. */
const lanes = 4
/** What waits for a place is not claimed yet, so this bounds memory only. */
const mostStarted = 200

/** Tells of each source that has something new. */
export type Fetch = (found: (source: DueSource) => void) => Promise<void>

/** CONV-11: goes once through all sources with something to read, and reads each to its end; also what is fetched now. */
export async function pickUp(
  ctx: OutsideSystemCtx,
  deps: PickUpDeps,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<void> {
  const fetching = fetch((source) => startReading(ctx, deps, source, signal))
  await Promise.all([fetching, goThrough(ctx, deps, signal)])
  const { dispatcher } = deps
  while (dispatcher.keys.length > 0 && !signal.aborted) await dispatcher.next()
}

async function goThrough(ctx: OutsideSystemCtx, deps: PickUpDeps, signal: AbortSignal): Promise<void> {
  const { dispatcher } = deps
  const mayGoOn = () => mayRead(deps, signal)
  let after: DueSource | undefined
  for (let isMore = mayGoOn(); isMore; ) {
    const sources = await listDueSources(ctx, sourcesAtOnce, after)
    for (const source of sources) {
      while (dispatcher.keys.length >= mostStarted && mayGoOn()) await dispatcher.next()
      startReading(ctx, deps, source, signal)
      after = source
    }
    isMore = sources.length === sourcesAtOnce && mayGoOn()
  }
}

/** Nothing is claimed while nobody could read it: it stays due. */
const mayRead = ({ llm }: PickUpDeps, signal: AbortSignal): boolean =>
  llm.is_on && !llm.is_away && !signal.aborted

function startReading(ctx: OutsideSystemCtx, deps: PickUpDeps, source: DueSource, signal: AbortSignal): void {
  for (let lane = 0; lane < lanes && mayRead(deps, signal); lane += 1) start(ctx, deps, source, lane)
}

function start(ctx: OutsideSystemCtx, deps: PickUpDeps, source: DueSource, lane: number): void {
  const { brand_id, source_id } = source
  const brand = ctx.forBrand(brand_id)
  deps.dispatcher.start({
    key: `${source_id}:${lane}`,
    wanted: { owner: String(brand_id), receiver: 'model', is_slow: false },
    claim: () => claimNext(brand, deps, source_id),
    work: (claim, slot) => readOn(brand, deps, claim, slot),
    // Its lease ends, and a later pick-up finds it.
    failed: (error) => ctx.log.warn({ error, source_id }, 'reading a conversation was interrupted'),
  })
}

/** One at a time: what is claimed is read at once. */
async function claimNext(
  ctx: OutsideBrandCtx,
  { llm }: PickUpDeps,
  source_id: string,
): Promise<Claim | undefined> {
  if (llm.is_away) return undefined
  const [claim] = await claimConversations(ctx, { source_id, limit: 1, lease_seconds: leaseSeconds })
  return claim
}

/** One conversation of the source after the other, until another workspace wants the place. */
async function readOn(
  ctx: OutsideBrandCtx,
  deps: PickUpDeps,
  first: Claim,
  { place, signal }: Slot,
): Promise<void> {
  for (let claim: Claim | undefined = first; claim; ) {
    const isRead = await readConversation(ctx, deps, claim, signal)
    // What could not be read now stays due: it must not be claimed again at once.
    if (!isRead || place.is_wanted || signal.aborted) return
    claim = await claimNext(ctx, deps, claim.source_id)
  }
}
