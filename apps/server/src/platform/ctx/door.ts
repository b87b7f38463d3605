import type { Life } from '#platform/bulkheads/life.ts'
import { systemClock } from '#platform/clock/clock.ts'
import type { Preamble } from '#platform/db/queryable.ts'
import { enterBrand, enterBrandUntil } from '#platform/db/tenancy.ts'

/** Admits a cached caller only while nothing has changed since. */
export interface Pass {
  /** Of the rights in the brand. */
  readonly epoch: number
  /** End of the credential. */
  readonly until: string
  /** Null for a token, whose end raises the epoch. */
  readonly session: { readonly id: number; readonly version: number } | null
}

/** The statement that enters a brand. The pass is sent until it has been accepted once. */
export class Door implements Preamble {
  readonly #brandId: number
  readonly #pass: Pass | undefined
  readonly share: number
  readonly life: Life | undefined
  /** Whether transactions that enter here must commit before their caller is told otherwise. */
  readonly #isLimited: boolean
  isOpen: boolean

  constructor(brandId: number, pass: Pass | undefined, life: Life | undefined, limitsCommits = false) {
    this.#brandId = brandId
    this.share = brandId
    this.life = life
    this.#pass = pass
    this.isOpen = pass === undefined
    this.#isLimited = limitsCommits && life !== undefined && life.due < Number.POSITIVE_INFINITY
  }

  /** The same door, to be entered on another handle. */
  onHandle(limitsCommits: boolean, life = this.life): Door {
    return new Door(this.#brandId, this.isOpen ? undefined : this.#pass, life, limitsCommits)
  }

  get statement() {
    return this.#isLimited ? enterBrandUntil : enterBrand
  }

  get values(): unknown[] {
    if (!this.#isLimited) return enterBrand.bind(this.shown)
    return enterBrandUntil.bind({ ...this.shown, ...commitLimitOf(this.life?.due ?? 0) })
  }

  /** Parameters of the statement. */
  get shown() {
    const { epoch = null, until = null, session } = (this.isOpen ? undefined : this.#pass) ?? {}
    const session_version = session?.version ?? null
    return { brand_id: this.#brandId, epoch, until, session: session?.id ?? null, session_version }
  }

  entered(): void {
    this.isOpen = true
  }
}

/** What the response itself and a commit under way take, and how far two clocks may be apart. */
const marginMs = 1000

/**
 * As a time, because what waits on the line for long must find its time over, and as a span, because the clock of the
 * database may be behind. Real time, as deadlines are.
 */
function commitLimitOf(due: number) {
  const leftMs = Math.floor(due - performance.now()) - marginMs
  return { commit_by: new Date(systemClock.now().getTime() + leftMs).toISOString(), commit_within_ms: leftMs }
}
