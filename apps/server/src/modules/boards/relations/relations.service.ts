import { cardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import {
  hasOtherParent,
  type Relation,
  type RelationKind,
  relationCycle,
  relationLimit,
} from '@crewhall/contracts/boards/relations.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { openBoardOf } from '../boards/boards.service.ts'
import { lockBoards } from '../boards/boards.store.ts'
import { findBoardOfCard } from '../card-data/cards.store.ts'
import { cardIdOf } from '../cards/task-ids.service.ts'
import { boardActorOf } from '../writes/board-actor.ts'
import { recordActivity } from '../writes/record-activity.service.ts'
import * as store from './relations.store.ts'
import { tellUnblocked } from './waiting.service.ts'
import { lockCards } from './waiting.store.ts'

const maxRelations = 200

export interface Named {
  readonly task_id: string
  readonly kind: RelationKind
  readonly other_id: string
}

/** Either card may be named by its ref. */
export async function namedBy(ctx: BrandCtx, { task_id, kind, other_id }: Named): Promise<Named> {
  return { task_id: await cardIdOf(ctx, task_id), kind, other_id: await cardIdOf(ctx, other_id) }
}

export async function readRelations(ctx: BrandCtx, id: string): Promise<{ items: Relation[] }> {
  if ((await findBoardOfCard(ctx, id)) === undefined) throw cardNotFound()
  return { items: (await store.listRelations(ctx, id)).map(presentRelation) }
}

export const relate = (ctx: BrandCtx, named: Named) =>
  onBoth(ctx, named, 'open', async (ctx, pair) => {
    const isDirected = pair.kind === 'blocks' || pair.kind === 'parent'
    if (pair.card_id === pair.other_id) throw relationCycle()
    if (isDirected && (await store.wouldCircle(ctx, pair))) throw relationCycle()
    const parent = pair.kind === 'parent' ? await store.findParentOf(ctx, pair.other_id) : undefined
    if (parent !== undefined && parent !== pair.card_id) throw hasOtherParent()
    for (const id of [pair.card_id, pair.other_id]) {
      if ((await store.listRelations(ctx, id)).length >= maxRelations) throw relationLimit()
    }
    return (await store.insertRelation(ctx, pair)) > 0
  })

/** A blocker can be removed even if it is on an archived board. */
export const unrelate = (ctx: BrandCtx, named: Named) =>
  onBoth(ctx, named, 'open or archived', async (ctx, pair) => (await store.deleteRelation(ctx, pair)) > 0)

interface Pair {
  readonly card_id: string
  readonly kind: store.StoredKind
  readonly other_id: string
}

/** A relation is kept once, from the one that blocks or is the parent; the two equal kinds by the smaller id. */
function pairOf({ task_id, kind, other_id }: Named): Pair {
  if (kind === 'blocked_by') return { card_id: other_id, kind: 'blocks', other_id: task_id }
  if (kind === 'child') return { card_id: other_id, kind: 'parent', other_id: task_id }
  if (kind === 'relates' && other_id < task_id) return { card_id: other_id, kind, other_id: task_id }
  return { card_id: task_id, kind, other_id }
}

type Work = (ctx: BrandTx, pair: Pair) => Promise<boolean>

/** Both boards are locked; the one of the card that was named first has to be open. */
const onBoth = (ctx: BrandCtx, named: Named, otherBoard: 'open' | 'open or archived', work: Work) =>
  ctx.tx(async (ctx) => {
    const boards = [await findBoardOfCard(ctx, named.task_id), await findBoardOfCard(ctx, named.other_id)]
    const [own, other] = boards
    if (own === undefined || other === undefined) throw cardNotFound()
    const locked = await lockBoards(ctx, [own, other])
    openBoardOf(locked, own)
    if (otherBoard === 'open') openBoardOf(locked, other)
    await store.lockRelations(ctx)
    const pair = pairOf(named)
    const isChanged = await work(ctx, pair)
    if (isChanged) {
      const cards = await lockCards(ctx, [named.task_id, named.other_id])
      await store.updateRelationCounts(ctx, [named.task_id, named.other_id])
      const actor = boardActorOf(ctx.actor)
      const entry = { action: 'task.related', card_id: named.task_id, actor }
      const data = { kind: named.kind, other_id: named.other_id }
      await recordActivity(ctx, { ...entry, board_id: own, data })
      const waiting = cards.filter(({ id }) => id === pair.other_id)
      if (pair.kind === 'blocks') await tellUnblocked(ctx, waiting, { blockers: [pair.card_id], actor })
    }
    return { items: (await store.listRelations(ctx, named.task_id)).map(presentRelation) }
  })

const otherSide = { blocks: 'blocked_by', parent: 'child' } as const

export function presentRelation({
  kind,
  is_first,
  id,
  board_id,
  key,
  number,
  title,
  source,
  status,
}: store.RelationRow): Relation {
  const seen = is_first || kind === 'relates' || kind === 'duplicates' ? kind : otherSide[kind]
  return { kind: seen, task: { id, ref: `${key}-${number}`, title, status, board_id, source } }
}
