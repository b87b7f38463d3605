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

export function systemCtx(parts: CtxParts, log: Log, actor: Actor): SystemCtx {
  const base = { log, actor, now: () => parts.clock.now(), step: parts.step }
  return {
    ...base,
    kind: 'system',
    db: parts.database.queryable(),
    forBrand: (brandId) => brandCtx(parts, log, actor, brandId),
    tx: (work) =>
      parts.database.transaction(undefined, (tx) => {
        const inside: SystemTx = {
          ...base,
          kind: 'system',
          db: tx,
          // A transaction inside a transaction is the same one: there is nothing to commit on its own.
          tx: (inner) => inner(inside),
          forBrand: () => {
            throw new Error('name the brand before the transaction starts, not inside it')
          },
          enqueue: (...args) => parts.enqueue(tx, base.now(), ...args),
        }
        return work(inside)
      }),
  }
}

function brandCtx(parts: CtxParts, log: Log, actor: Actor, brandId: number): BrandCtx {
  const base = { log, actor, now: () => parts.clock.now(), step: parts.step, kind: 'brand' as const, brandId }
  const preamble: Preamble = { statement: setBrand, values: [String(brandId)] }
  return {
    ...base,
    db: parts.database.queryable(preamble),
    tx: (work) =>
      parts.database.transaction(preamble, (tx) => {
        const inside: BrandTx = {
          ...base,
          db: tx,
          tx: (inner) => inner(inside),
          enqueue: (...args) => parts.enqueue(tx, base.now(), ...args),
        }
        return work(inside)
      }),
  }
}
