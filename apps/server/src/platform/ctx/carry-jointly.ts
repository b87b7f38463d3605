import type { Joining } from '#platform/bulkheads/joint-queues.ts'
import { Life } from '#platform/bulkheads/life.ts'
import type { Door } from '#platform/ctx/door.ts'
import type { Database } from '#platform/db/database.ts'
import { Last } from '#platform/db/last.ts'
import type { Queryable } from '#platform/db/queryable.ts'
import { enterBrand } from '#platform/db/tenancy.ts'

/** The last statement, sent and not yet awaited. Handling its result must not refuse: by then it is committed. */
interface Sent<Result> {
  readonly sent: Promise<readonly Result[]>
}

/** A write that can be batched for several callers in one transaction. */
export interface JointWriteIn<Tx, Item, Result> {
  readonly name: string
  /** Approximate size of an item in bytes. */
  weigh(item: Item): number
  /**
   * Refuses all if it has to refuse one: each is then retried alone. The context has no particular actor, so the actor is
   * part of the item. It sends its last statements without waiting for them.
   */
  run(ctx: Tx, id: string, items: readonly Item[]): Promise<Sent<Result>>
}

/** A caller whose write can be batched with others of the workspace. */
export interface JoiningWrite<Tx, Item> extends Joining {
  readonly item: Item
  readonly door: Door
  /** A transaction of its own, or with `life` one for all members. */
  tx<T>(work: (ctx: Tx) => Promise<T | Last<T>>, life?: Life): Promise<T>
}

/** All members belong to one workspace. Each must be authorized; if one disconnects, nothing is written for any. */
export async function carryJointly<Tx extends { readonly db: Queryable }, Item, Result>(
  database: Database,
  members: readonly JoiningWrite<Tx, Item>[],
  run: (ctx: Tx, items: readonly Item[]) => Promise<Sent<Result>>,
): Promise<readonly Result[]> {
  const items = members.map(({ item }) => item)
  const [first] = members as [JoiningWrite<Tx, Item>]
  const write = async (ctx: Tx) => new Last((await run(ctx, items)).sent)
  if (items.length === 1) return first.tx<readonly Result[]>(write)
  const life = new Life(database)
  life.due = Math.min(...members.map((member) => member.life?.due ?? Number.POSITIVE_INFINITY))
  const forget = members.map((member) => member.life?.onEnd((reason) => life.end(reason)))
  const doors = members.map(({ door }) => door).filter(({ isOpen }) => !isOpen)
  const passes = new Map(doors.map(({ shown }) => [JSON.stringify(shown), shown]))
  try {
    const results = await first.tx<readonly Result[]>((ctx) => {
      // Not awaited: an unauthorized caller fails the transaction and everything after it.
      for (const pass of passes.values()) ctx.db.run(enterBrand, pass).catch(() => {})
      return write(ctx)
    }, life)
    for (const door of doors) door.entered()
    return results
  } finally {
    for (const stop of forget) stop?.()
  }
}
