import {
  type Cycle,
  cardOfOtherBoard,
  cycleClosed,
  cycleLimit,
  cycleNotEmpty,
  cycleNotFound,
  cycleNotStarted,
  cyclesOverlap,
  daysOutOfOrder,
  mostCycles,
  noSuchNextCycle,
  otherCycleActive,
} from '@crewhall/contracts/boards/cycles.ts'
import { boardNotFound, cardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import type { Paging } from '@crewhall/contracts/wire.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { lockOpenBoard } from '../boards/boards.service.ts'
import { findBoard } from '../boards/boards.store.ts'
import { findBoardOfCard } from '../card-data/cards.store.ts'
import { withCard } from '../cards/locked-card.service.ts'
import { cardIdOf } from '../cards/task-ids.service.ts'
import { boardActorOf } from '../writes/board-actor.ts'
import { recordActivity } from '../writes/record-activity.service.ts'
import { beginCarrying, moveCards } from './carry-cycle.service.ts'
import { presentCycle, presentCycleCard } from './cycles.present.ts'
import * as store from './cycles.store.ts'

export async function listCyclePage(ctx: BrandCtx, board_id: string, { page, per_page }: Paging) {
  if (!(await findBoard(ctx, board_id))) throw boardNotFound()
  const [rows, total] = await Promise.all([
    store.listCycles(ctx, { board_id, limit: per_page, offset: (page - 1) * per_page }),
    store.countCycles(ctx, board_id),
  ])
  return { items: rows.map(presentCycle), total, page, per_page }
}

interface Days {
  readonly starts_on: string
  readonly ends_on: string
}
interface NewCycle extends Days {
  readonly name: string
  readonly goal?: string | undefined
}

export const addCycle = (
  ctx: BrandCtx,
  board_id: string,
  { goal = '', ...cycle }: NewCycle,
): Promise<Cycle> =>
  ctx.tx(async (ctx) => {
    await lockOpenBoard(ctx, board_id)
    await refuseDays(ctx, { board_id, ...cycle })
    if ((await store.countCycles(ctx, board_id)) >= mostCycles) throw cycleLimit()
    const id = (await store.insertCycle(ctx, { ...cycle, goal, board_id })) ?? ''
    await record(ctx, { id, board_id, name: cycle.name }, 'cycle.created', {})
    return shown(ctx, id)
  })

async function refuseDays(ctx: BrandTx, days: Days & { board_id: string; id?: string }): Promise<void> {
  if (days.ends_on < days.starts_on) throw daysOutOfOrder()
  if (await store.findOverlapping(ctx, days)) throw cyclesOverlap()
}

export const getCycle = (ctx: BrandCtx, id: string): Promise<Cycle> => shown(ctx, id)

type CycleChange = { readonly [Field in keyof NewCycle]?: NewCycle[Field] | undefined }

export const changeCycle = (ctx: BrandCtx, id: string, change: CycleChange): Promise<Cycle> =>
  withCycle(ctx, id, async (ctx, before) => {
    const { name = before.name, goal = before.goal } = change
    const { starts_on = before.starts_on, ends_on = before.ends_on } = change
    const after = { id, name, goal, starts_on, ends_on }
    const fields = (['name', 'goal', 'starts_on', 'ends_on'] as const).filter(
      (each) => after[each] !== before[each],
    )
    if (fields.length === 0) return presentCycle(before)
    if (fields.includes('starts_on') || fields.includes('ends_on')) {
      if (before.closed_at !== null) throw cycleClosed()
      await refuseDays(ctx, { ...after, board_id: before.board_id })
    }
    await store.updateCycle(ctx, after)
    await record(ctx, { ...before, name }, 'cycle.updated', { fields })
    return shown(ctx, id)
  })

export const removeCycle = (ctx: BrandCtx, id: string): Promise<{ removed: true }> =>
  withCycle(ctx, id, async (ctx, cycle) => {
    if (await store.findAnyCard(ctx, id)) throw cycleNotEmpty()
    await store.deleteCycle(ctx, id)
    await record(ctx, cycle, 'cycle.deleted', {})
    return { removed: true }
  })

export async function listCycleCards(
  ctx: BrandCtx,
  id: string,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
) {
  if (!(await store.findCycle(ctx, id))) throw cycleNotFound()
  const rows = await store.listCardsOf(ctx, id, after, limit + 1)
  const items = rows.slice(0, limit).map(presentCycleCard)
  return { items, next_after: rows.length > limit ? (items.at(-1)?.id ?? null) : null }
}

export const addCards = (ctx: BrandCtx, id: string, task_ids: readonly string[]): Promise<Cycle> =>
  withCycle(ctx, id, async (ctx, cycle) => {
    if (cycle.closed_at !== null) throw cycleClosed()
    const ids = new Set<string>()
    for (const task_id of task_ids) ids.add(await cardIdOf(ctx, task_id))
    const found = await store.listBoardsOf(ctx, [...ids])
    if (found.length < ids.size) throw cardNotFound()
    if (found.some(({ board_id }) => board_id !== cycle.board_id)) throw cardOfOtherBoard()
    await moveCards(ctx, cycle.board_id, [...ids], cycle, boardActorOf(ctx.actor))
    return shown(ctx, id)
  })

export async function getCycleOfCard(ctx: BrandCtx, card_id: string): Promise<{ cycle: Cycle | null }> {
  if ((await findBoardOfCard(ctx, card_id)) === undefined) throw cardNotFound()
  const cycle = await store.findCycleOfCard(ctx, card_id)
  return { cycle: cycle ? presentCycle(cycle) : null }
}

export const leaveCycle = (ctx: BrandCtx, card_id: string): Promise<{ cycle: null }> =>
  withCard(ctx, card_id, async (ctx, { board }) => {
    await moveCards(ctx, board.id, [card_id], undefined, boardActorOf(ctx.actor))
    return { cycle: null }
  })

export const startCycle = (ctx: BrandCtx, id: string): Promise<Cycle> =>
  withCycle(ctx, id, async (ctx, cycle) => {
    if (cycle.closed_at !== null) throw cycleClosed()
    if (cycle.started_at !== null) return presentCycle(cycle)
    if (await store.findActive(ctx, cycle.board_id)) throw otherCycleActive()
    await store.updateStarted(ctx, id)
    await record(ctx, cycle, 'cycle.started', { cards: cycle.cards, estimate: cycle.estimate })
    return shown(ctx, id)
  })

export const closeCycle = (
  ctx: BrandCtx,
  id: string,
  { carry_to }: { readonly carry_to?: string | null | undefined },
): Promise<Cycle> =>
  withCycle(ctx, id, async (ctx, cycle) => {
    const to = await targetOf(ctx, cycle, carry_to)
    if (cycle.closed_at !== null) return presentCycle(cycle)
    if (cycle.started_at === null) throw cycleNotStarted()
    await store.updateClosed(ctx, id, to)
    const { cards, cards_done, estimate, estimate_done } = cycle
    await record(ctx, cycle, 'cycle.closed', { cards, cards_done, estimate, estimate_done })
    await beginCarrying(ctx, { ...cycle, carry_to: to }, boardActorOf(ctx.actor))
    return shown(ctx, id)
  })

async function targetOf(
  ctx: BrandTx,
  cycle: store.CycleRow,
  carry_to: string | null | undefined,
): Promise<string | null> {
  if (carry_to === undefined) return (await store.findNextCycle(ctx, cycle)) ?? null
  if (carry_to === null) return null
  const target = await store.findCycle(ctx, carry_to)
  const isOpen = target?.board_id === cycle.board_id && target.id !== cycle.id && target.closed_at === null
  if (!isOpen) throw noSuchNextCycle()
  return carry_to
}

/** Under the lock of its board. */
const withCycle = <T>(
  ctx: BrandCtx,
  id: string,
  work: (ctx: BrandTx, cycle: store.CycleRow) => Promise<T>,
): Promise<T> =>
  ctx.tx(async (ctx) => {
    const seen = await store.findCycle(ctx, id)
    if (!seen) throw cycleNotFound()
    await lockOpenBoard(ctx, seen.board_id)
    const cycle = await store.findCycle(ctx, id)
    if (!cycle) throw cycleNotFound()
    return work(ctx, cycle)
  })

async function shown(ctx: BrandCtx, id: string): Promise<Cycle> {
  const cycle = await store.findCycle(ctx, id)
  if (!cycle) throw cycleNotFound()
  return presentCycle(cycle)
}

const record = (
  ctx: BrandTx,
  { id, board_id, name }: Pick<store.CycleRow, 'id' | 'board_id' | 'name'>,
  action: string,
  data: Record<string, unknown>,
) =>
  recordActivity(ctx, {
    board_id,
    action,
    card_id: null,
    actor: boardActorOf(ctx.actor),
    data: { cycle_id: id, name, ...data },
  })
