import type { BrandCtx, SystemCtx } from '#platform/ctx/ctx.ts'
import type { EventLog } from '#platform/events/event-log.ts'
import type { WakeUps } from '#platform/events/wake-ups.ts'
import { listLastActivity } from './stream.store.ts'
import { findSign } from './workspace-stream.store.ts'

const everyMs = 3000

interface Deps {
  readonly system: SystemCtx
  readonly wake_ups: WakeUps
  readonly log: EventLog
}

/** Listeners of the workspace topic hear of all its boards. */
export const topicOf = (brandId: number, board_id: string | null): string =>
  board_id === null ? String(brandId) : `${brandId}:${board_id}`

/**
 * Wakes listeners of boards and workspaces. A wake-up may get lost, when Redis is down or a process dies right after its
 * commit. So each process also polls every few seconds: one statement per workspace, however many listeners.
 */
export class BoardWatch {
  readonly #deps: Deps
  #seen = new Map<string, string>()
  #timer: NodeJS.Timeout | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Returns an unsubscribe function. */
  listen(brandId: number, boardIds: readonly string[], wake: () => void): () => void {
    return this.#listen(
      boardIds.map((id) => topicOf(brandId, id)),
      wake,
    )
  }

  /** The same for everything that happens in a workspace. */
  listenToAll(brandId: number, wake: () => void): () => void {
    return this.#listen([topicOf(brandId, null)], wake)
  }

  #listen(topics: readonly string[], wake: () => void): () => void {
    this.#timer ??= this.#later()
    return this.#deps.wake_ups.listen(topics, wake)
  }

  /** Those of boards and workspaces, which begin with a number; modules give others a name. */
  get #topics(): readonly string[] {
    return this.#deps.wake_ups.topics.filter((topic) => /^\d/.test(topic))
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
      system.log.warn({ error }, 'could not poll for board activity')
    }
    this.#timer = this.#topics.length > 0 ? this.#later() : undefined
  }

  async #look(): Promise<void> {
    const { system, wake_ups } = this.#deps
    const seen = new Map<string, string>()
    for (const [brandId, boardIds] of byBrand(this.#topics)) {
      for (const [topic, sign] of await this.#signs(system.forBrand(brandId), boardIds)) {
        seen.set(topic, sign)
        // Also on the first poll: something may have happened since the listener last read.
        if (this.#seen.get(topic) !== sign) wake_ups.wake(topic)
      }
    }
    this.#seen = seen
  }

  /** What changes with each event, for every topic. */
  async #signs(ctx: BrandCtx, boardIds: readonly (string | null)[]): Promise<[string, string][]> {
    const ids = boardIds.filter((id) => id !== null)
    const boards = ids.length > 0 ? await listLastActivity(ctx, ids) : []
    const signs = boards.map(({ board_id, last_activity_at }): [string, string] => [
      topicOf(ctx.brandId, board_id),
      last_activity_at,
    ])
    if (ids.length === boardIds.length) return signs
    const [onBoards, { created_at }] = await Promise.all([findSign(ctx), this.#deps.log.end(ctx)])
    return [...signs, [topicOf(ctx.brandId, null), `${onBoards} ${created_at}`]]
  }
}

function byBrand(topics: readonly string[]): Map<number, (string | null)[]> {
  const found = new Map<number, (string | null)[]>()
  for (const topic of topics) {
    const [brand = '', board_id = null] = topic.split(':')
    const ids = found.get(Number(brand)) ?? []
    found.set(Number(brand), [...ids, board_id])
  }
  return found
}
