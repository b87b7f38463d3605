import { setTimeout } from 'node:timers/promises'
import { newToken, type SignedUp } from '@crewhall/testkit/people.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { call, type Get } from '@crewhall/testkit/world/call.ts'

/** A token that is revoked while the database changes hands, and tried from then on. */
export class Revocation {
  /** How often it was refused after the revocation was acknowledged, as what it is: revoked. */
  refused = 0
  /** Tries that tell nothing: the product answered otherwise, or not at all. */
  unanswered = 0
  revokedAfterMs = 0
  /** Uses that began after the acknowledgement and were let in. */
  readonly letIn: string[] = []
  readonly #get: Get
  readonly #owner: SignedUp
  readonly #token: { id: string; token: string }

  private constructor(get: Get, owner: SignedUp, token: { id: string; token: string }) {
    this.#get = get
    this.#owner = owner
    this.#token = token
  }

  /** Used once by every process, so that each of them remembers who that was. */
  static async prepare(get: Get, owner: SignedUp, processes: readonly Get[]): Promise<Revocation> {
    // A machine that stalls sheds load.
    const token = await waitFor(() => newToken(get, owner, []), 30_000)
    for (const each of processes)
      await waitFor(
        async () => (await call(each, token, 'GET', '/api/v1/board/boards')).status === 200,
        30_000,
      )
    return new Revocation(get, owner, token)
  }

  async revoke(): Promise<void> {
    const began = Date.now()
    const { brand_id, cookie } = this.#owner
    const path = `/api/v1/brands/${brand_id}/tokens/${this.#token.id}`
    for (;;) {
      const answer = await call(this.#get, { cookie }, 'DELETE', path).catch(() => undefined)
      // 404: an attempt without an answer had done it.
      if (answer?.status === 200 || answer?.status === 404) break
      await setTimeout(50)
    }
    this.revokedAfterMs = Date.now() - began
  }

  async tryUntil(stop: AbortSignal, processes: readonly Get[]): Promise<void> {
    while (!stop.aborted) {
      for (const get of processes) {
        const answer = await call(get, this.#token, 'GET', '/api/v1/board/boards').catch(() => undefined)
        if (answer?.status === 401) this.refused += 1
        else if (answer && answer.status < 300) this.letIn.push(`${answer.status}`)
        else this.unanswered += 1
      }
      await setTimeout(25)
    }
  }
}
