import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { call, type Get } from '@crewhall/testkit/world/call.ts'

export interface Acknowledged {
  readonly id: string
  readonly title: string
  readonly at: number
}

const pauseMs = 60
const retryMs = 100
/** Refusals of an outage, and of a request whose first attempt is still under way. */
const isPassing = (status: number): boolean => [409, 502, 503, 504].includes(status)

/** Makes one card after the other. One that was not acknowledged is asked for again, with the same key, until it is. */
export class SteadyWriter {
  readonly acknowledged: Acknowledged[] = []
  /** How often which status came that was no success; lost connections count as 0. */
  readonly refusals = new Map<number, number>()
  /** What no outage explains. */
  readonly faults: string[] = []
  readonly #get: Get
  readonly #token: string
  readonly #board: string
  readonly #name: string

  constructor(get: Get, token: string, board: string, name: string) {
    this.#get = get
    this.#token = token
    this.#board = board
    this.#name = name
  }

  async work(stop: AbortSignal): Promise<void> {
    for (let count = 0; !stop.aborted; count += 1) {
      await this.#make(`${this.#name} ${count}`, stop)
      await setTimeout(pauseMs * (0.5 + Math.random()))
    }
  }

  async #make(title: string, stop: AbortSignal): Promise<void> {
    const key = randomUUID()
    while (!stop.aborted) {
      const path = `/api/v1/board/boards/${this.#board}/tasks`
      const more = { 'idempotency-key': key }
      const by = { token: this.#token }
      const answer = await call<{ id: string }>(this.#get, by, 'POST', path, { title }, more).catch(
        () => undefined,
      )
      if (answer?.status === 201) {
        this.acknowledged.push({ id: answer.body.id, title, at: Date.now() })
        return
      }
      const status = answer?.status ?? 0
      this.refusals.set(status, (this.refusals.get(status) ?? 0) + 1)
      if (answer && !isPassing(status)) {
        this.faults.push(`${status} ${answer.text.slice(0, 200)}`)
        return
      }
      await setTimeout(retryMs)
    }
  }
}
