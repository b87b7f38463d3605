import type { Operation } from '@crewhall/contracts/boards/batch.ts'
import { mayEnd } from '../card-data/cards.rules.ts'

type Creation = Extract<Operation, { op: 'create' }>

/** Neighbors that are carried out together: plain creations, or one operation alone. */
export interface Step {
  /** Position of the first. */
  readonly at: number
  readonly operations: readonly Operation[]
}

export function stepsOf(operations: readonly Operation[]): Step[] {
  const steps: { at: number; operations: Operation[] }[] = []
  for (const [at, operation] of operations.entries()) {
    const last = steps.at(-1)
    if (last && isPlain(operation) && last.operations.every(isPlain)) last.operations.push(operation)
    else steps.push({ at, operations: [operation] })
  }
  return steps
}

/** A new card with nothing around it. */
export const isPlain = (operation: Operation): operation is Creation =>
  operation.op === 'create' && operation.children === undefined && operation.relations === undefined

/** What a batch is limited by: cards and relations that it names. */
export const weightOf = (operations: readonly Operation[]): number =>
  operations.reduce(
    (sum, each) =>
      sum + 1 + (each.op === 'create' ? (each.children?.length ?? 0) + (each.relations?.length ?? 0) : 0),
    0,
  )

/** Items of checklists that come with new cards. */
export const itemsIn = (operations: readonly Operation[]): number =>
  operations
    .flatMap((each) => (each.op === 'create' ? [each.task, ...(each.children ?? [])] : []))
    .reduce((sum, { checklist = [] }) => sum + checklist.length, 0)

/** Cards whose boards have to be known before anything is locked. */
export interface NamedCards {
  /** To be changed, so that they have to be on the board. */
  readonly own: readonly string[]
  /** Related to new ones, on any board. */
  readonly related: readonly string[]
  /** Those for which others may have to wait no longer, or again. */
  readonly ending: readonly string[]
}

export function cardsNamedBy(operations: readonly Operation[]): NamedCards {
  const changes = operations.filter((each) => each.op !== 'create')
  const creations = operations.filter((each) => each.op === 'create')
  return {
    own: changes.map(({ task_id }) => task_id),
    related: creations.flatMap(({ relations = [] }) => relations.map(({ other_id }) => other_id)),
    ending: changes.filter(mayEndOthers).map(({ task_id }) => task_id),
  }
}

function mayEndOthers(operation: Exclude<Operation, Creation>): boolean {
  if (operation.op === 'archive') return true
  return mayEnd(operation.op === 'change' ? operation.change : { column: operation.column })
}
