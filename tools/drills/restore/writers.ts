import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { DrillProduct } from './drill-product.ts'

/** Make cards one after the other, and remember which were acknowledged. */
export class Writers {
  readonly #product: DrillProduct
  readonly #board: string
  readonly #acknowledged: { title: string; began: number; at: number }[] = []
  #running: Promise<void>[] = []
  #underWay = 0
  #state: 'writing' | 'paused' | 'stopped' = 'writing'

  constructor(product: DrillProduct, board: string) {
    this.#product = product
    this.#board = board
  }

  start(count: number): void {
    this.#running = Array.from({ length: count }, (_, at) => this.#write(at))
  }

  async pause(): Promise<void> {
    this.#state = 'paused'
    await waitFor(() => this.#underWay === 0, 30_000)
  }

  resume(): void {
    this.#state = 'writing'
  }

  async stop(): Promise<void> {
    this.#state = 'stopped'
    await Promise.all(this.#running)
  }

  /** What was acknowledged until the moment is there, and nothing that began later is. */
  compare(moment: number, titles: readonly string[]): { before: number; later: number } {
    const there = new Set(titles)
    const before = this.#acknowledged.filter(({ at }) => at <= moment)
    const later = this.#acknowledged.filter(({ began }) => began > moment)
    const lost = before.filter(({ title }) => !there.has(title)).length
    const kept = later.filter(({ title }) => there.has(title)).length
    if (lost > 0) throw new Error(`${lost} of ${before.length} acknowledged writes are missing`)
    if (kept > 0) throw new Error(`${kept} later writes are there`)
    if (before.length < 10) throw new Error(`only ${before.length} writes were acknowledged before`)
    if (later.length === 0) throw new Error('nothing was written after the moment: nothing was put back')
    return { before: before.length, later: later.length }
  }

  async #write(writer: number): Promise<void> {
    for (let n = 0; this.#state !== 'stopped'; n += 1) {
      await waitFor(() => this.#state !== 'paused', 120_000)
      const title = `card ${writer}-${n}`
      this.#underWay += 1
      const began = Date.now()
      const made = this.#product.post(`/api/v1/board/boards/${this.#board}/tasks`, { title })
      const response = await made.catch(() => undefined)
      await response?.text()
      if (response?.status === 201) this.#acknowledged.push({ title, began, at: Date.now() })
      this.#underWay -= 1
    }
  }
}
