import type { JobSpec } from '@crewhall/contracts/job.ts'
import type { z } from 'zod'
import type { Clock } from '#platform/clock/clock.ts'
import {
  type Database,
  type Preamble,
  type Queryable,
  setBrand,
  type Transaction,
} from '#platform/db/database.ts'
import type { Log } from '#platform/log/log.ts'
import type { Step } from '#platform/steps/steps.ts'

/** Who acts. Identity adds people, guests and agents to this list. */
export type Actor = { readonly kind: 'nobody' } | { readonly kind: 'system'; readonly name: string }

export interface EnqueueOptions {
  /** Not before this time. */
  readonly run_at?: Date
}

export type Enqueue = <P extends z.ZodType>(
  job: JobSpec<string, P>,
  payload: z.input<P>,
  options?: EnqueueOptions,
) => Promise<void>

interface Base {
  readonly db: Queryable
  readonly log: Log
  readonly actor: Actor
  now(): Date
  readonly step: Step
}

/** For public routes, platform administration and jobs. Narrow it with `forBrand` before touching a tenant. */
export interface SystemCtx extends Base {
  readonly kind: 'system'
  tx<T>(work: (ctx: SystemTx) => Promise<T>): Promise<T>
  forBrand(brandId: number): BrandCtx
}

/** Acts inside one brand. Stores of tenant tables accept only this. */
export interface BrandCtx extends Base {
  readonly kind: 'brand'
  readonly brandId: number
  tx<T>(work: (ctx: BrandTx) => Promise<T>): Promise<T>
}

/** Inside a transaction: what is enqueued here commits with the rows or not at all. */
export interface SystemTx extends SystemCtx {
  readonly enqueue: Enqueue
}
export interface BrandTx extends BrandCtx {
  readonly enqueue: Enqueue
}

export interface CtxParts {
  readonly database: Database
  readonly clock: Clock
  readonly step: Step
  enqueue(tx: Transaction, now: Date, ...args: Parameters<Enqueue>): Promise<void>
}

export const systemCtx = (parts: CtxParts, log: Log, actor: Actor): SystemCtx => new System(parts, log, actor)

// Classes, because one of these is made for every request: their methods are shared, closures would not be.
class Common {
  readonly parts: CtxParts
  readonly log: Log
  readonly actor: Actor

  constructor(parts: CtxParts, log: Log, actor: Actor) {
    this.parts = parts
    this.log = log
    this.actor = actor
  }

  get step(): Step {
    return this.parts.step
  }

  now(): Date {
    return this.parts.clock.now()
  }
}

class System extends Common implements SystemCtx {
  readonly kind = 'system'

  get db(): Queryable {
    return this.parts.database.statements
  }

  forBrand(brandId: number): BrandCtx {
    return new Brand(this.parts, this.log, this.actor, brandId)
  }

  tx<T>(work: (ctx: SystemTx) => Promise<T>): Promise<T> {
    return this.parts.database.transaction(undefined, (tx) => work(new SystemInside(this, tx)))
  }
}

class SystemInside extends Common implements SystemTx {
  readonly kind = 'system'
  readonly db: Transaction

  constructor({ parts, log, actor }: System, tx: Transaction) {
    super(parts, log, actor)
    this.db = tx
  }

  forBrand(): never {
    throw new Error('name the brand before the transaction starts, not inside it')
  }

  // A transaction inside a transaction is the same one: there is nothing to commit on its own.
  tx<T>(work: (ctx: SystemTx) => Promise<T>): Promise<T> {
    return work(this)
  }

  readonly enqueue: Enqueue = (...args) => this.parts.enqueue(this.db, this.now(), ...args)
}

class Brand extends Common implements BrandCtx {
  readonly kind = 'brand'
  readonly brandId: number
  readonly #preamble: Preamble

  constructor(parts: CtxParts, log: Log, actor: Actor, brandId: number) {
    super(parts, log, actor)
    this.brandId = brandId
    this.#preamble = { statement: setBrand, values: [String(brandId)] }
  }

  get db(): Queryable {
    return this.parts.database.queryable(this.#preamble)
  }

  tx<T>(work: (ctx: BrandTx) => Promise<T>): Promise<T> {
    return this.parts.database.transaction(this.#preamble, (tx) => work(new BrandInside(this, tx)))
  }
}

class BrandInside extends Common implements BrandTx {
  readonly kind = 'brand'
  readonly brandId: number
  readonly db: Transaction

  constructor({ parts, log, actor, brandId }: Brand, tx: Transaction) {
    super(parts, log, actor)
    this.brandId = brandId
    this.db = tx
  }

  tx<T>(work: (ctx: BrandTx) => Promise<T>): Promise<T> {
    return work(this)
  }

  readonly enqueue: Enqueue = (...args) => this.parts.enqueue(this.db, this.now(), ...args)
}
