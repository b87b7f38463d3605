import { Bound, type Limit } from '#platform/bulkheads/bound.ts'
import type { Bulkhead } from '#platform/bulkheads/bulkheads.ts'
import { KeyedSemaphore } from '#platform/bulkheads/keyed-semaphore.ts'
import { Life } from '#platform/bulkheads/life.ts'
import { Outage } from '#platform/outage/outage.ts'
import { ToolServerFault } from '#platform/tool-servers/tool-server-fault.ts'

/** How many conversations with tool servers run at a time: of one owner, and of all. A slow server keeps nobody else out. */
export class Places {
  readonly #own: KeyedSemaphore<string>
  readonly #all: Bound

  constructor({ owner, all }: { readonly owner: Bulkhead; readonly all: Limit }) {
    this.#own = new KeyedSemaphore(owner, undefined, 'service')
    this.#all = new Bound(all)
  }

  get taken(): number {
    return this.#all.taken
  }

  /** Returns how to give the place back. Throws a `ToolServerFault` if there is none in time. */
  async take(owner: string, signal: AbortSignal): Promise<() => void> {
    const life = new Life()
    const end = () => life.end(new Outage('service', 'timeout'))
    signal.addEventListener('abort', end, { once: true })
    try {
      await this.#own.enter(owner, life)
    } catch (error) {
      throw error instanceof Outage ? new ToolServerFault('busy') : error
    } finally {
      signal.removeEventListener('abort', end)
    }
    if (!this.#all.admits(owner)) {
      this.#own.leave(owner)
      throw new ToolServerFault('busy')
    }
    this.#all.take(owner)
    return () => {
      this.#all.leave(owner)
      this.#own.leave(owner)
    }
  }
}
