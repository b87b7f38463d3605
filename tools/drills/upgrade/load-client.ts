import { setTimeout } from 'node:timers/promises'
import { type Answer, call, type Get } from '@crewhall/testkit/world/call.ts'

interface Card {
  readonly id: string
  readonly version: number
}
export interface LoadBoard {
  readonly id: string
  readonly columns: readonly { readonly id: string }[]
}

const pauseMs = 500

/** A client that makes cards, changes and reads them, and remembers what was acknowledged. */
export class LoadClient {
  /** The last acknowledged title of each card. */
  readonly titles = new Map<string, string>()
  comments = 0
  calls = 0
  /** 5xx and broken lines: nobody may see one. */
  readonly faults: string[] = []
  readonly #get: Get
  readonly #token: string
  readonly #board: LoadBoard
  readonly #name: string

  constructor(get: Get, token: string, board: LoadBoard, name: string) {
    this.#get = get
    this.#token = token
    this.#board = board
    this.#name = name
  }

  async work(stop: AbortSignal): Promise<void> {
    for (let round = 0; !stop.aborted; round += 1) {
      await this.#round(round)
      await setTimeout(pauseMs * (0.5 + Math.random()))
    }
  }

  async #round(round: number): Promise<void> {
    const title = `${this.#name} ${round}`
    const made = await this.#call<Card>('POST', `/boards/${this.#board.id}/tasks`, { title })
    if (made?.status !== 201) return
    const { id } = made.body
    this.titles.set(id, title)
    const renamed = await this.#call<Card>('PATCH', `/tasks/${id}`, { title: `${title} again` })
    if (renamed?.status === 200) this.titles.set(id, `${title} again`)
    const said = await this.#call('POST', `/tasks/${id}/comments`, { body: 'Seen' })
    if (said?.status === 201) this.comments += 1
    await this.#call('GET', `/boards/${this.#board.id}/tasks?per_page=50`)
  }

  async #call<Body>(method: string, path: string, body?: unknown): Promise<Answer<Body> | undefined> {
    this.calls += 1
    const name = `${method} ${path.replace(/[0-9a-f-]{36}/g, ':id')}`
    try {
      const answer = await call<Body>(this.#get, { token: this.#token }, method, `/api/v1/board${path}`, body)
      if (answer.status >= 400) this.faults.push(`${name}: ${answer.status} ${answer.text.slice(0, 200)}`)
      return answer
    } catch (error) {
      this.faults.push(`${name}: ${error instanceof Error ? (error.cause ?? error.message) : error}`)
      return undefined
    }
  }
}
