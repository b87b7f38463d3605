import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import type { Log } from '#platform/log/log.ts'

export interface WakeUpOptions {
  readonly publisher: Redis
  /** A connection that listens can do nothing else. */
  connect(): Redis
  /** Redis puts no prefix before the names of channels. */
  readonly channel: string
  readonly log: Log
}

/**
 * Says that there is something new to read about a topic, in this process at once and in others through Redis.
 * Nothing is told by it and it may get lost, so whoever listens looks by itself now and then as well.
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

  /** Everything that somebody here waits for. */
  get topics(): readonly string[] {
    return [...this.#sleepers.keys()]
  }

  /** Answers what ends it. */
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

  /** Also those who listen to all that the topic belongs to: `12` hears of `12:a` and `12:b`. */
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
    // What one transaction says several times is told once.
    setImmediate(() => {
      this.#untold.delete(topic)
      const { publisher, channel } = this.#options
      publisher.publish(channel, `${this.#self} ${topic}`).catch(() => {})
    })
  }

  /** A line that was cut without a word is found out by asking, and then made anew. */
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
