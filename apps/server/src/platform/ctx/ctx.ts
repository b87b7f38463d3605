import type { DatabaseHandle } from '@crewhall/contracts/database-handles.ts'
import { type AuditEntry, writeAudit } from '#platform/audit/audit.ts'
import type { TurnKind } from '#platform/bulkheads/bulkheads.ts'
import type { JointQueues } from '#platform/bulkheads/joint-queues.ts'
import { Life } from '#platform/bulkheads/life.ts'
import { type Turn, type TurnQueues, Turns, turnOf } from '#platform/bulkheads/turns.ts'
import type { Clock } from '#platform/clock/clock.ts'
import type { Actor } from '#platform/ctx/actor.ts'
import { attemptIn } from '#platform/ctx/attempt.ts'
import { carryJointly, type JoiningWrite, type JointWriteIn } from '#platform/ctx/carry-jointly.ts'
import { Door, type Pass } from '#platform/ctx/door.ts'
import type { Enqueue } from '#platform/ctx/enqueue.ts'
import type { EventListener } from '#platform/ctx/event-listener.ts'
import type { Handle } from '#platform/ctx/handles.ts'
import { Common, type Made, made, tellCommitted } from '#platform/ctx/made.ts'
import type { Outside } from '#platform/ctx/outside.ts'
import type { Database, Preamble, Queryable, Transaction } from '#platform/db/database.ts'
import type { Last } from '#platform/db/last.ts'
import type { BrandQueryable, BrandTransaction } from '#platform/db/queryable.ts'
import { seeAllBrands } from '#platform/db/tenancy.ts'
import type { KeptEvent, NewEvent } from '#platform/events/workspace-event.ts'
import { writeEvent } from '#platform/events/write-event.ts'
import type { FaultPoint } from '#platform/fault-points/fault-points.ts'
import type { Log } from '#platform/log/log.ts'

export type { EventListener } from '#platform/ctx/event-listener.ts'

interface Base {
  readonly db: Queryable
  readonly log: Log
  readonly actor: Actor
  /** Id of the current request; null in jobs and tools. */
  readonly request_id: string | null
  now(): Date
  readonly faultPoint: FaultPoint
}

/** For public routes, platform administration and jobs. Narrow it with `forBrand` before touching a tenant. */
export interface SystemCtx extends Base {
  readonly kind: 'system'
  tx<T>(work: (ctx: SystemTx) => Promise<T>): Promise<T>
  forBrand(brandId: number, caller?: { actor: Actor; pass?: Pass }): BrandCtx
  /** Sees the rows of all brands, and declares that in each transaction. Without it, tenant tables look empty. */
  overBrands(): SystemCtx
  as(actor: Actor): SystemCtx
}
/** The context that public routes, reads and jobs start with. */
export interface OutsideSystemCtx extends SystemCtx, Outside {
  forBrand(brandId: number, caller?: { actor: Actor; pass?: Pass }): OutsideBrandCtx
  overBrands(): OutsideSystemCtx
  as(actor: Actor): OutsideSystemCtx
}

/** Acts inside one brand. Stores of tenant tables accept only this. */
export interface BrandCtx extends Base {
  readonly kind: 'brand'
  readonly brandId: number
  readonly db: BrandQueryable
  tx<T>(work: (ctx: BrandTx) => Promise<T>): Promise<T>
  /** Several reads of one snapshot. It holds a connection, so nothing slow inside. */
  snapshot<T>(work: (ctx: BrandCtx) => Promise<T>, options?: SnapshotOptions): Promise<T>
  /**
   * Batches a write with others of its kind on the same resource that arrive while one is running: one transaction and
   * one lock for all. Inside a transaction it runs alone.
   */
  jointly<Item, Result>(write: JointWrite<Item, Result>, id: string, item: Item): Promise<Result>
  /** Checks that a cached caller is still authorized; undefined when a statement has done so already. */
  confirm(): Promise<void> | undefined
}

export interface OutsideBrandCtx extends BrandCtx, Outside {
  /** Declares that the next transactions need this turn, so that they wait for it before they start. */
  expectTurn(kind: TurnKind, id: string): void
  /** For cleanup after the caller has gone. */
  afterwards(): OutsideBrandCtx
  /** Aborted when the caller no longer waits; for calls that are slow and cost something. Never inside jobs. */
  gone(): AbortSignal
}

export type JointWrite<Item, Result> = JointWriteIn<BrandTx, Item, Result>

interface SnapshotOptions {
  /** For long reads, on connections reserved for them. */
  readonly is_long?: boolean
}

/** Inside a transaction: jobs and audit entries commit with the rows or not at all. */
export interface SystemTx extends SystemCtx {
  readonly enqueue: Enqueue
  /** Only where the transaction sees all brands, as `audit`. */
  emit(brandId: number, event: NewEvent): Promise<void>
  audit(brandId: number, entry: AuditEntry): Promise<void>
}
export interface BrandTx extends BrandCtx {
  readonly enqueue: Enqueue
  /**
   * Takes a lock that many callers may want. When too many want it already, the transaction is rolled back, waits
   * without a connection, and runs again with its turn.
   */
  inTurn<T>(kind: TurnKind, ids: readonly string[], lock: () => Promise<T>): Promise<T>
  /** A part of the transaction: if it is refused, nothing of it is left, and the rest may go on. */
  attempt<T>(work: (ctx: BrandTx) => Promise<T>): Promise<T>
  /**
   * Writes the event to the log of the workspace and calls listeners: now, inside the transaction, and again after the
   * commit. Only `audit` comes later, because both take a lock.
   */
  emit(event: NewEvent): Promise<void>
  /** The same for events that are stored in a feed of its own, such as a board's, in the order of that. */
  announce(events: readonly KeptEvent[]): Promise<void>
  /** Required for every change of a setting or a permission. Last in the transaction, because it takes a lock. */
  audit(entry: AuditEntry): Promise<void>
}

export interface CtxParts {
  readonly listeners: readonly EventListener[]
  readonly database: Database
  /** Other ways to the same database; optional, as in unit tests. */
  readonly handles?: Readonly<Record<DatabaseHandle, Handle>>
  /** Whether a transaction must commit before its caller is told that it took too long. */
  readonly limits_commits?: boolean
  /** Optional: without it nobody waits for turns, as in tools and unit tests. */
  readonly turns?: TurnQueues
  /** Optional: without it writes are not batched. */
  readonly joint?: JointQueues
  readonly clock: Clock
  readonly fault_point: FaultPoint
  enqueue(tx: Transaction, now: Date, ...args: Parameters<Enqueue>): Promise<void>
}

export const systemCtx = (
  parts: CtxParts,
  log: Log,
  actor: Actor,
  request_id: string | null = null,
  life?: Life,
): OutsideSystemCtx => new System({ parts, log, actor, request_id, life })

/**
 * The same context on another handle, if need be with a shorter life. For what mounts routes, and for `readOn`: a service
 * never chooses.
 */
export function ctxOn<Ctx extends OutsideSystemCtx | OutsideBrandCtx>(
  ctx: Ctx,
  parts: CtxParts,
  life?: Life,
): Ctx
export function ctxOn(ctx: unknown, parts: CtxParts, life?: Life): unknown {
  if (ctx instanceof System || ctx instanceof Brand) return ctx.on(parts, life)
  throw new Error('only a context outside of a transaction can change its handle')
}

class System extends Common implements OutsideSystemCtx {
  readonly kind = 'system'
  readonly #preamble: Preamble | undefined

  constructor(made: Made, preamble?: Preamble) {
    super(made)
    this.#preamble = preamble
  }

  get is_outside(): true {
    return true
  }

  get db(): Queryable {
    const { database } = this.parts
    if (this.#preamble) return database.queryable(this.#preamble)
    return this.life ? database.statementsOf(this) : database.statements
  }

  as(actor: Actor): OutsideSystemCtx {
    return new System({ ...made(this), actor }, this.#preamble)
  }

  on(parts: CtxParts, life = this.life): System {
    return new System({ ...made(this), parts, life }, this.#preamble)
  }

  overBrands(): OutsideSystemCtx {
    return new System(this, this.life ? { ...seeAllBrands, life: this.life } : seeAllBrands)
  }

  forBrand(brandId: number, caller?: { actor: Actor; pass?: Pass }): OutsideBrandCtx {
    return new Brand(this, brandId, caller?.pass, caller?.actor)
  }

  async tx<T>(work: (ctx: SystemTx) => Promise<T>): Promise<T> {
    let inside: SystemInside | undefined
    const result = await this.parts.database.transaction(this.#preamble, (tx) => {
      inside = new SystemInside(this, tx)
      return work(inside)
    })
    for (const { brandId, events } of inside?.brands.values() ?? [])
      tellCommitted(this.parts, brandId, events)
    return result
  }
}

const namedTooLate = (): never => {
  throw new Error('name the brand before the transaction starts, not inside it')
}

class SystemInside extends Common implements SystemTx {
  readonly kind = 'system'
  readonly db: Transaction
  /** Brands with emitted events. */
  readonly brands = new Map<number, BrandInside>()

  constructor(outer: System, tx: Transaction) {
    super(outer)
    this.db = tx
  }

  readonly forBrand = namedTooLate
  readonly overBrands = namedTooLate
  readonly as = namedTooLate

  // A nested transaction is the same one: nothing commits on its own.
  tx<T>(work: (ctx: SystemTx) => Promise<T>): Promise<T> {
    return work(this)
  }

  readonly enqueue: Enqueue = (...args) => this.parts.enqueue(this.db, this.now(), ...args)

  emit(brandId: number, event: NewEvent): Promise<void> {
    const brand = this.brands.get(brandId) ?? new BrandInside(this, brandId, this.db, undefined)
    this.brands.set(brandId, brand)
    return brand.emit(event)
  }

  audit(brand_id: number, entry: AuditEntry): Promise<void> {
    return writeAudit(this.db, { brand_id, actor: this.actor, request_id: this.request_id }, entry)
  }
}

class Brand extends Common implements OutsideBrandCtx {
  readonly kind = 'brand'
  readonly brandId: number
  #door: Door
  #expected: Turn[] | undefined
  /** The same caller on the handle that it was authenticated on. */
  #authenticated: Brand | undefined

  constructor(made: Made, brandId: number, pass: Pass | undefined, actor?: Actor) {
    super(made, actor)
    this.brandId = brandId
    this.#door = new Door(brandId, pass, this.life, this.parts.limits_commits)
  }

  on(parts: CtxParts, life = this.life): Brand {
    const there = new Brand({ ...made(this), parts, life }, this.brandId, undefined)
    there.#door = this.#door.onHandle(parts.limits_commits ?? false, life)
    there.#authenticated = this
    return there
  }

  get is_outside(): true {
    return true
  }

  get db(): BrandQueryable {
    return this.parts.database.queryable(this.#door, this.brandId)
  }

  tx<T>(work: (ctx: BrandTx) => Promise<T>): Promise<T> {
    return this.#tx(work)
  }

  async #tx<T>(work: (ctx: BrandTx) => Promise<T | Last<T>>): Promise<T> {
    let events: readonly KeptEvent[] = []
    const { turns: queues, database } = this.parts
    const turns = queues && new Turns(queues, this.life, this.#expected)
    const attempt = () =>
      database.transaction(this.#door, (tx) => {
        const inside = new BrandInside(this, this.brandId, tx, turns)
        // Those of the attempt that committed; a transaction that lost a conflict runs again.
        events = inside.events
        return work(inside)
      })
    const result = await (turns ? turns.over(attempt) : attempt())
    tellCommitted(this.parts, this.brandId, events)
    return result
  }

  async jointly<Item, Result>(write: JointWrite<Item, Result>, id: string, item: Item): Promise<Result> {
    const { joint, database } = this.parts
    const mine: JoiningWrite<BrandTx, Item> = {
      item,
      door: this.#door,
      life: this.life,
      weight: write.weigh(item),
      tx: (work, life) => (life ? this.#forAll(life) : this).#tx(work),
    }
    const carry = (members: readonly JoiningWrite<BrandTx, Item>[]) =>
      carryJointly(database, members, (ctx: BrandTx, items) => write.run(ctx, id, items))
    if (!joint) return (await carry([mine]))[0] as Result
    return joint.join(`${write.name}:${this.brandId}:${id}`, mine, carry)
  }

  /** For several callers, which present their passes themselves. */
  #forAll(life: Life): Brand {
    const all = new Brand({ ...made(this), life }, this.brandId, undefined)
    all.#expected = this.#expected
    return all
  }

  snapshot<T>(work: (ctx: BrandCtx) => Promise<T>, options?: SnapshotOptions): Promise<T> {
    const inside = (tx: Queryable) => work(new BrandInside(this, this.brandId, tx as Transaction, undefined))
    return this.parts.database.snapshot(this.#door, inside, options)
  }

  afterwards(): OutsideBrandCtx {
    return new Brand({ ...made(this), life: undefined }, this.brandId, undefined)
  }

  gone(): AbortSignal {
    return (this.life ?? new Life()).signal()
  }

  expectTurn(kind: TurnKind, id: string): void {
    this.#expected ??= []
    this.#expected.push(turnOf(kind, this.brandId, id))
  }

  confirm(): Promise<void> | undefined {
    if (this.#door.isOpen) return undefined
    // Nothing has run on this handle so far, and it may be away: that is no reason to leave a caller in doubt.
    if (this.#authenticated) return this.#authenticated.confirm()
    return this.parts.database.transaction(this.#door, async () => {})
  }
}

class BrandInside extends Common implements BrandTx {
  readonly kind = 'brand'
  readonly brandId: number
  readonly db: BrandTransaction
  readonly events: KeptEvent[] = []
  readonly #turns: Turns | undefined

  constructor(outer: Made, brandId: number, tx: Transaction, turns: Turns | undefined) {
    super(outer)
    this.brandId = brandId
    this.db = tx.inBrand(brandId)
    this.#turns = turns
  }

  tx<T>(work: (ctx: BrandTx) => Promise<T>): Promise<T> {
    return work(this)
  }

  async jointly<Item, Result>(write: JointWrite<Item, Result>, id: string, item: Item): Promise<Result> {
    const [result] = await (await write.run(this, id, [item])).sent
    return result as Result
  }

  snapshot<T>(work: (ctx: BrandCtx) => Promise<T>): Promise<T> {
    return work(this)
  }

  confirm(): undefined {
    return undefined
  }

  readonly enqueue: Enqueue = (...args) => this.parts.enqueue(this.db, this.now(), ...args)

  async inTurn<T>(kind: TurnKind, ids: readonly string[], lock: () => Promise<T>): Promise<T> {
    this.#turns?.need(ids.map((id) => turnOf(kind, this.brandId, id)))
    const begun = performance.now()
    try {
      return await lock()
    } finally {
      this.parts.turns?.waits.locked(kind, (performance.now() - begun) / 1000)
    }
  }

  attempt<T>(work: (ctx: BrandTx) => Promise<T>): Promise<T> {
    return attemptIn(this.db, this.events, () => work(this))
  }

  async emit(event: NewEvent): Promise<void> {
    const { brandId: brand_id, actor } = this
    await this.announce([await writeEvent(this.db, { brand_id, actor }, event)])
  }

  async announce(events: readonly KeptEvent[]): Promise<void> {
    this.events.push(...events)
    // All start now, because the commit may be sent in the same turn of the event loop.
    await this.db.inOrder(this.parts.listeners.map(async (listener) => listener.happened?.(this, events)))
  }

  audit(entry: AuditEntry): Promise<void> {
    const { brandId: brand_id, actor, request_id } = this
    return writeAudit(this.db, { brand_id, actor, request_id }, entry)
  }
}
