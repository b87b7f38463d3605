import { createHash } from 'node:crypto'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'

const validMs = 10 * 60_000

interface Sealed {
  /** The digest of the call that was asked about. */
  readonly call: string
  readonly until: number
}

/**
 * What the server would have to remember between a question and its answer, carried by the client: any process can read it,
 * and it is good for the same call of the same credential only.
 */
export class Confirmations {
  readonly #box: SecretBox

  constructor(box: SecretBox) {
    this.#box = box
  }

  stateOf(ctx: BrandCtx, tool: string, args: unknown): string {
    const sealed: Sealed = { call: digestOf(tool, args), until: ctx.now().getTime() + validMs }
    return this.#box.seal(placeOf(ctx), JSON.stringify(sealed)).toString('base64url')
  }

  isFor(ctx: BrandCtx, state: string, tool: string, args: unknown): boolean {
    const opened = this.#box.open(placeOf(ctx), Buffer.from(state, 'base64url'))
    if (opened === undefined) return false
    const { call, until } = JSON.parse(opened) as Sealed
    return call === digestOf(tool, args) && until > ctx.now().getTime()
  }
}

const placeOf = ({ brandId, actor }: BrandCtx): string =>
  `gateway.confirmation:${brandId}:${actor.kind === 'person' ? actor.credential_id : ''}`

/** The order of arguments means nothing; within them, what is sent again is sent alike. */
function digestOf(tool: string, args: unknown): string {
  const entries = Object.entries((args ?? {}) as object).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([tool, entries]))
    .digest('base64url')
}
