import type { Joining } from '#platform/bulkheads/joint-queues.ts'
import { Life } from '#platform/bulkheads/life.ts'
import type { Door } from '#platform/ctx/door.ts'
import type { Database } from '#platform/db/database.ts'
import { Last } from '#platform/db/last.ts'
import type { Queryable } from '#platform/db/queryable.ts'
import { enterBrand } from '#platform/db/tenancy.ts'

/** What was sent last and is not answered yet. What is made of the answer must not refuse: by then it is done. */
interface Sent<Result> {
  readonly sent: Promise<readonly Result[]>
}

/** A write that can be done for several callers in one transaction. */
export interface JointWriteIn<Tx, Item, Result> {
  readonly name: string
  /** The size of an item, about, in bytes. */
  weigh(item: Item): number
  /**
   * Refuses all when it has to refuse one: each is then asked for alone. The context speaks for nobody in particular,
   * so who acts is part of the item. It sends its last statements without waiting for them.
   */
  run(ctx: Tx, id: string, items: readonly Item[]): Promise<Sent<Result>>
}

/** A caller whose write can be done together with those of others of the workspace. */
export interface JoiningWrite<Tx, Item> extends Joining {
  readonly item: Item
  readonly door: Door
  /** A transaction of its own, or one for all of whom this life is. */
  tx<T>(work: (ctx: Tx) => Promise<T | Last<T>>, life?: Life): Promise<T>
}

/** All of one workspace. Each caller has to be let in, and when one of them goes away nothing is done for any. */
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
  const forget = members.map((member) => member.life?.onEnd((reason) => life.end(reason)))
  const doors = members.map(({ door }) => door).filter(({ isOpen }) => !isOpen)
  const passes = new Map(doors.map(({ shown }) => [JSON.stringify(shown), shown]))
  try {
    const results = await first.tx<readonly Result[]>((ctx) => {
      // Not awaited: whoever is not let in breaks the transaction, and with it all that follows.
      for (const pass of passes.values()) ctx.db.run(enterBrand, pass).catch(() => {})
      return write(ctx)
    }, life)
    for (const door of doors) door.entered()
    return results
  } finally {
    for (const stop of forget) stop?.()
  }
}
