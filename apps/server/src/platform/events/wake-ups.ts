import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import type { Log } from '#platform/log/log.ts'

export interface WakeUpOptions {
  readonly publisher: Redis
  /** A subscribed connection can do nothing else. */
  connect(): Redis
  /** Redis does not prefix channel names. */
  readonly channel: string
  readonly log: Log
}

/**
 * Signals that there is something new to read about a topic, in this process directly and in others through Redis. It
 * carries no data and may get lost, so listeners also poll now and then.
 */
export class WakeUps {
  readonly #options: WakeUpOptions
  readonly #sleepers = new Map<string, Set<() => void>>()
  readonly #self = randomUUID()
  readonly #untold = new Set<string>()
  #listener: Redis | undefined

  constructor(options: WakeUpOptions) {
    this.#options = options
  }

  /** All topics with a listener in this process, whoever listens. */
  get topics(): readonly string[] {
    return [...this.#sleepers.keys()]
  }

  /** Returns an unsubscribe function. */
  listen(topics: readonly string[], wake: () => void): () => void {
    this.#listener ??= this.#subscribe()
    for (const topic of topics) {
      const sleepers = this.#sleepers.get(topic) ?? new Set()
      this.#sleepers.set(topic, sleepers.add(wake))
    }
    return () => {
      for (const topic of topics) {
        const sleepers = this.#sleepers.get(topic)
        sleepers?.delete(wake)
        if (sleepers?.size === 0) this.#sleepers.delete(topic)
      }
    }
  }

  /** Also wakes listeners of the parent topic: `12` hears of `12:a` and `12:b`. */
  wake(topic: string): void {
    for (const wake of this.#sleepers.get(topic) ?? []) wake()
    const end = topic.indexOf(':')
    if (end > 0) for (const wake of this.#sleepers.get(topic.slice(0, end)) ?? []) wake()
  }

  /** Neither waits nor fails. */
  tell(topic: string): void {
    this.wake(topic)
    if (this.#untold.has(topic)) return
    this.#untold.add(topic)
    // Repeated wake-ups of one transaction are published once.
    setImmediate(() => {
      this.#untold.delete(topic)
      const { publisher, channel } = this.#options
      publisher.publish(channel, `${this.#self} ${topic}`).catch(() => {})
    })
  }

  /** Pings, so that a silently dropped connection is noticed and reopened. */
  checkLine(): void {
    this.#listener?.ping().catch(() => {})
  }

  close(): void {
    this.#listener?.disconnect()
  }

  #subscribe(): Redis {
    const { connect, channel, log } = this.#options
    const listener = connect()
    listener.on('ready', () => {
      listener
        .subscribe(channel)
        .catch((error) => log.warn({ error }, 'could not subscribe to wake-ups from redis'))
    })
    listener.on('message', (_channel, message: string) => {
      const [sender, topic = ''] = message.split(' ')
      if (sender !== this.#self) this.wake(topic)
    })
    return listener
  }
}
