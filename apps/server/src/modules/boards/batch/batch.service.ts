import {
  batchTooLarge,
  checklistsTooLong,
  mostBatchItems,
  mostOperations,
  type Operation,
  type OperationResult,
  operationRefused,
} from '@crewhall/contracts/boards/batch.ts'
import { cardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import { Refusal } from '@crewhall/contracts/refusal.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { openBoardOf } from '../boards/boards.service.ts'
import { lockBoardsForAll } from '../boards/boards.store.ts'
import { addCardsInOrder } from '../cards/add-card.service.ts'
import { archiveCard, type Changed, changeCard, moveCard, writtenOf } from '../cards/cards.service.ts'
import { findCardId } from '../cards/task-ids.service.ts'
import { relate } from '../relations/relations.service.ts'
import { listBoardsOfWaiting } from '../relations/waiting.store.ts'
import { cardsNamedBy, isPlain, itemsIn, type Step, stepsOf, weightOf } from './batch.rules.ts'
import { listBoardsOfCards } from './batch.store.ts'

interface Batch {
  readonly atomic: boolean
  readonly operations: readonly Operation[]
}

/** What the operations of a batch share. */
interface Place {
  readonly board_id: string
  /** Cards of this board among those that the batch names. */
  readonly here: ReadonlySet<string>
}

/**
 * Several writes on one board in one transaction. Each is done by the service of its single call, so it obeys the same
 * rules. All boards are locked before the first one, in one order, so that two batches never wait for each other.
 */
export const writeBatch = (
  ctx: BrandCtx,
  board_id: string,
  { atomic, operations: given }: Batch,
): Promise<OperationResult[]> =>
  ctx.tx(async (ctx) => {
    // First, because each card that is named may be looked up.
    if (weightOf(given) > mostOperations) throw batchTooLarge()
    if (itemsIn(given) > mostBatchItems) throw checklistsTooLong()
    const operations = await Promise.all(given.map((each) => withIds(ctx, each)))
    const place = await lockPlace(ctx, board_id, operations)
    const results: OperationResult[] = []
    for (const step of stepsOf(operations)) {
      results.push(...(await carryOut(ctx, place, step, atomic)))
      await ctx.faultPoint('boards.batch')
    }
    return results
  })

const none = '00000000-0000-0000-0000-000000000000'

/** Cards may be named by refs. For one that does not exist there is an id that no card has. */
async function withIds(ctx: BrandTx, operation: Operation): Promise<Operation> {
  const idOf = async (task_id: string) => (await findCardId(ctx, task_id)) ?? none
  if (operation.op !== 'create') return { ...operation, task_id: await idOf(operation.task_id) }
  if (!operation.relations) return operation
  const relations = operation.relations.map(async (each) => ({
    ...each,
    other_id: await idOf(each.other_id),
  }))
  return { ...operation, relations: await Promise.all(relations) }
}

async function lockPlace(ctx: BrandTx, board_id: string, operations: readonly Operation[]): Promise<Place> {
  const { own, related, ending } = cardsNamedBy(operations)
  const isNamed = own.length + related.length > 0
  const [placed, waiting] = isNamed
    ? await Promise.all([listBoardsOfCards(ctx, [...own, ...related]), listBoardsOfWaiting(ctx, ending)])
    : [[], []]
  const boardOf = new Map(placed.map((card) => [card.id, card.board_id]))
  const boards = related.flatMap((id) => boardOf.get(id) ?? [])
  openBoardOf(await lockBoardsForAll(ctx, [board_id, ...boards, ...waiting]), board_id)
  return { board_id, here: new Set(own.filter((id) => boardOf.get(id) === board_id)) }
}

/** Neighbors go together if none of them is refused, otherwise one by one. */
async function carryOut(
  ctx: BrandTx,
  place: Place,
  { at, operations }: Step,
  atomic: boolean,
): Promise<OperationResult[]> {
  const creations = operations.filter(isPlain)
  if (creations.length > 1) {
    const orders = creations.map(({ task }) => task)
    const added = await unlessRefused(ctx, (ctx) => addCardsInOrder(ctx, place.board_id, orders))
    if (!(added instanceof Refusal)) return added.map((task) => ({ status: 201, task }))
  }
  const results: OperationResult[] = []
  for (const [n, operation] of operations.entries()) {
    const result = await unlessRefused(ctx, (ctx) => carryOutOne(ctx, place, operation))
    if (!(result instanceof Refusal)) results.push(result)
    else {
      const { status, detail } = result
      if (atomic) throw operationRefused({ operation: at + n, status, detail })
      results.push({ status, detail })
    }
  }
  return results
}

async function unlessRefused<T>(ctx: BrandTx, work: (ctx: BrandTx) => Promise<T>): Promise<T | Refusal> {
  try {
    return await ctx.attempt(work)
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

async function carryOutOne(ctx: BrandTx, place: Place, operation: Operation): Promise<OperationResult> {
  if (operation.op === 'create') return create(ctx, place, operation)
  const { task_id } = operation
  // One of another board is missing here, like one that does not exist.
  if (!place.here.has(task_id)) throw cardNotFound()
  if (operation.op === 'change') return resultOf(await changeCard(ctx, task_id, operation.change))
  if (operation.op === 'move') return resultOf(await moveCard(ctx, task_id, operation))
  const { if_version, claim_epoch: epoch } = operation
  const versions = if_version === undefined ? undefined : [if_version]
  const card = await archiveCard(ctx, task_id, true, { versions, epoch })
  return { status: 200, task: writtenOf({ card, is_over_limit: false }) }
}

const resultOf = (changed: Changed): OperationResult => ({
  status: 200,
  task: writtenOf(changed),
  changed: Object.keys(changed.receipt.changed),
})

/** The card, then its children, then what relates them: as by so many single calls. */
async function create(
  ctx: BrandTx,
  { board_id }: Place,
  { task, children = [], relations = [] }: Extract<Operation, { op: 'create' }>,
): Promise<OperationResult> {
  const [made, ...born] = await addCardsInOrder(ctx, board_id, [task, ...children])
  if (!made) throw new Error('a new card was not made')
  const { task_id } = made
  for (const child of born) await relate(ctx, { task_id, kind: 'parent', other_id: child.task_id })
  for (const { kind, other_id } of relations) await relate(ctx, { task_id, kind, other_id })
  return { status: 201, task: made, ...(born.length > 0 ? { children: born } : {}) }
}
