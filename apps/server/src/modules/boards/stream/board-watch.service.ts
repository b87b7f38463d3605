import type { SystemCtx } from '#platform/ctx/ctx.ts'
import type { WakeUps } from '#platform/events/wake-ups.ts'
import { listLastActivity } from './stream.store.ts'

const everyMs = 3000

interface Deps {
  readonly system: SystemCtx
  readonly wake_ups: WakeUps
}

export const topicOf = (brandId: number, board_id: string): string => `${brandId}:${board_id}`

/**
 * Wakes those who wait for news of a board. A wake-up may get lost, when Redis is away or a process dies between
 * its commit and telling of it. So each process looks by itself every few seconds: one statement a workspace, however
 * many wait.
 */
export class BoardWatch {
  readonly #deps: Deps
  #seen = new Map<string, string>()
  #timer: NodeJS.Timeout | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Answers what ends it. */
  listen(brandId: number, boardIds: readonly string[], wake: () => void): () => void {
    this.#timer ??= this.#later()
    return this.#deps.wake_ups.listen(
      boardIds.map((id) => topicOf(brandId, id)),
      wake,
    )
  }

  #later(): NodeJS.Timeout {
    return setTimeout(() => void this.#round(), everyMs).unref()
  }

  async #round(): Promise<void> {
    const { wake_ups, system } = this.#deps
    wake_ups.checkLine()
    try {
      await this.#look()
    } catch (error) {
      // The next round comes soon; what a stream misses meanwhile, it reads then.
      system.log.warn({ error }, 'could not look for news of boards')
    }
    this.#timer = wake_ups.topics.length > 0 ? this.#later() : undefined
  }

  async #look(): Promise<void> {
    const { system, wake_ups } = this.#deps
    const seen = new Map<string, string>()
    for (const [brandId, boardIds] of byBrand(wake_ups.topics)) {
      for (const { board_id, last_activity_at } of await listLastActivity(
        system.forBrand(brandId),
        boardIds,
      )) {
        const topic = topicOf(brandId, board_id)
        seen.set(topic, last_activity_at)
        // Also at the first look: something may have happened since whoever waits has read.
        if (this.#seen.get(topic) !== last_activity_at) wake_ups.wake(topic)
      }
    }
    this.#seen = seen
  }
}

function byBrand(topics: readonly string[]): Map<number, string[]> {
  const found = new Map<number, string[]>()
  for (const topic of topics) {
    const [brand = '', board_id = ''] = topic.split(':')
    const ids = found.get(Number(brand)) ?? []
    found.set(Number(brand), [...ids, board_id])
  }
  return found
}
