import type { Life } from '#platform/bulkheads/life.ts'
import type { Preamble } from '#platform/db/queryable.ts'
import { enterBrand } from '#platform/db/tenancy.ts'

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
  readonly statement = enterBrand
  readonly #brandId: number
  readonly #pass: Pass | undefined
  readonly share: number
  readonly life: Life | undefined
  isOpen: boolean

  constructor(brandId: number, pass: Pass | undefined, life: Life | undefined) {
    this.#brandId = brandId
    this.share = brandId
    this.life = life
    this.#pass = pass
    this.isOpen = pass === undefined
  }

  get values(): unknown[] {
    return enterBrand.bind(this.shown)
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
