import { setTimeout as sleep } from 'node:timers/promises'
import { json, newToken, signUp } from '@crewhall/testkit/people.ts'
import { expectThat } from '../expect-that.ts'
import type { Get } from './through-proxy.ts'

const clients = 4
const pauseMs = 40

/** Clients that make card after card and remember which of them were acknowledged. */
export class CardWriters {
  readonly acknowledged: string[] = []
  /** Of answers that were none of success, how many of each kind. */
  readonly refused = new Map<string, number>()
  readonly #get: Get
  readonly #mark: string
  #path = ''
  #headers: Record<string, string> = {}
  #count = 0
  #isRunning = false
  #loops: Promise<void>[] = []

  constructor(get: Get, mark: string) {
    this.#get = get
    this.#mark = mark
  }

  async start(): Promise<void> {
    const owner = await signUp(this.#get)
    const { token } = await newToken(this.#get, owner, [])
    this.#headers = { authorization: `Bearer ${token}` }
    const made = await this.#get('/api/v1/board/boards', json({ name: 'Faults', key: 'FA' }, this.#headers))
    const { id } = (await made.json()) as { id: string }
    expectThat(made.status === 201, `the board was answered ${made.status}`)
    this.#path = `/api/v1/board/boards/${id}/tasks`
    this.#isRunning = true
    this.#loops = Array.from({ length: clients }, () => this.#loop())
  }

  async stop(): Promise<void> {
    this.#isRunning = false
    await Promise.all(this.#loops)
  }

  /** Whether it was acknowledged. */
  async write(): Promise<boolean> {
    this.#count += 1
    const title = `${this.#mark}-${this.#count}`
    const outcome = await this.#get(this.#path, json({ title }, this.#headers)).then(
      ({ status }) => String(status),
      (error: Error & { code?: string }) => error.code ?? error.message,
    )
    if (outcome === '201') this.acknowledged.push(title)
    else this.refused.set(outcome, (this.refused.get(outcome) ?? 0) + 1)
    return outcome === '201'
  }

  async #loop(): Promise<void> {
    while (this.#isRunning) {
      await this.write()
      await sleep(pauseMs)
    }
  }
}
