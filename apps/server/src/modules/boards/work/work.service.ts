import { type Claim, claimLost } from '@crewhall/contracts/boards/claims.ts'
import type { CardContext } from '@crewhall/contracts/boards/context.ts'
import type { Missing } from '@crewhall/contracts/boards/knew.ts'
import { boardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import type { Run } from '@crewhall/contracts/boards/runs.ts'
import type { WorkWish } from '@crewhall/contracts/boards/work.ts'
import type { BrandCtx, BrandTx, OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { Claim as KeyClaim } from '#platform/idempotency/claim.ts'
import { lockBoardsForAll, lockedTooFew } from '../boards/boards.store.ts'
import { areBoards } from '../boards/known-boards.service.ts'
import { findCard } from '../card-data/cards.store.ts'
import { holdingOf } from '../card-data/claims.rules.ts'
import { claimCard, presentClaim } from '../claims/claims.service.ts'
import { packGivenContext } from '../context/context.service.ts'
import { findRun, updateKnew } from '../leases/runs.store.ts'
import { presentRun, startRun } from '../runs/runs.service.ts'
import { type Around, type AroundPorts, lookAround, missingOf } from './around.service.ts'
import { knewOf } from './knew.present.ts'
import * as store from './work.store.ts'

interface Taken {
  readonly claim: Claim
  readonly run: Run
}
interface Work {
  readonly claim: Claim | null
  readonly run: Run | null
  readonly context: CardContext | null
  readonly missing?: Missing
}
/** A card that is taken already, and what is known about it. */
interface PreparedWork {
  readonly taken: Taken | undefined
  readonly around: Around
}

const nothing: Work = { claim: null, run: null, context: null }
const noneAround: Around = { lessons: [], memories: [], missing: {} }

/**
 * Where more than the card is wanted, it is taken first, in a transaction of its own: nobody can know before which card it
 * will be, and those who know of lessons and memories are slow. Undefined where nothing more is wanted.
 */
export async function prepareWork(
  ctx: OutsideBrandCtx,
  ports: AroundPorts,
  wish: WorkWish,
  key: KeyClaim,
): Promise<PreparedWork | undefined> {
  const { with: wanted = [] } = wish
  if (wanted.length === 0) return undefined
  const taken = await ctx.tx(async (ctx) =>
    (await key.once(ctx, 'taken')) ? takeWork(ctx, wish, key.id) : findTaken(ctx, key.id),
  )
  await ctx.faultPoint('boards.next')
  const around = taken ? await lookAround(ctx, ports, taken.claim.task_id, wanted) : noneAround
  return { taken, around }
}

/** What an agent otherwise asks for in four calls: each part is the write or read that has a route of its own. */
export const nextWork = (ctx: BrandCtx, wish: WorkWish, prepared?: PreparedWork): Promise<Work> =>
  ctx.tx(async (ctx) => {
    const taken = prepared ? prepared.taken : await takeWork(ctx, wish)
    if (!taken) return nothing
    const around = prepared?.around ?? { ...noneAround, missing: tried(wish) }
    return give(ctx, wish, taken, around)
  })

async function takeWork(ctx: BrandTx, wish: WorkWish, run_id?: string): Promise<Taken | undefined> {
  const { board_ids = null, task_type = null, labels = null, priorities = null } = wish
  if (board_ids && !(await areBoards(ctx, board_ids))) throw boardNotFound()
  const filter = { board_ids, task_type, labels, priorities }
  await store.lockWork(ctx)
  const found = await store.findWork(ctx, filter)
  if (!found) return undefined
  await lockBoardsForAll(ctx, [found.board_id])
  // Before the lock, somebody may have taken the card by its name or changed it.
  const seen = await store.findWork(ctx, { ...filter, board_ids: [found.board_id] })
  if (seen?.id !== found.id) throw lockedTooFew()
  const claim = await claimCard(ctx, found.id, wish)
  await ctx.faultPoint('boards.next')
  const run = await startRun(ctx, found.id, { epoch: claim.epoch, worker: wish.worker }, run_id)
  await ctx.faultPoint('boards.next')
  return { claim, run }
}

/** By an earlier request with the same key, which did not live to answer. */
async function findTaken(ctx: BrandTx, run_id: string): Promise<Taken | undefined> {
  const run = await findRun(ctx, run_id)
  const card = run && (await findCard(ctx, run.card_id))
  if (!card) return undefined
  if (!card.is_claimed || card.claim_epoch !== run.claim_epoch) throw claimLost(holdingOf(card))
  return { claim: presentClaim(card.id, card), run: presentRun(run) }
}

async function give(
  ctx: BrandTx,
  { budget_bytes, with: wanted = [] }: WorkWish,
  { claim, run }: Taken,
  around: Around,
): Promise<Work> {
  const { context, sources } = await packGivenContext(ctx, claim.task_id, budget_bytes, around)
  const given = { run_id: run.id, at: run.started_at, budget_bytes, wanted, around }
  await updateKnew(ctx, run.id, knewOf(given, context, sources))
  const { missing } = around
  return { claim, run, context, ...(Object.keys(missing).length > 0 ? { missing } : {}) }
}

/** Without what comes from elsewhere: that takes a card that is really taken. */
const tried = ({ with: wanted = [] }: WorkWish): Missing =>
  missingOf({
    lessons: wanted.includes('lessons') ? 'dry_run' : null,
    memories: wanted.includes('memories') ? 'dry_run' : null,
  })
