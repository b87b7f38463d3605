import type { Redis } from 'ioredis'
import type { Log } from '#platform/log/log.ts'
import { createRedis } from '#platform/redis/redis.ts'

/** Checks Redis over a connection of its own. */
export class RedisProbe {
  readonly #open: () => Redis
  readonly #limitMs: number
  #opened: Redis | undefined

  constructor(url: string, limitMs: number, log: Log) {
    this.#limitMs = limitMs
    this.#open = () => createRedis({ url, prefix: '', command_timeout_ms: limitMs }, log)
  }

  /** Opened by the first check: a starting process is too busy to notice in time that it is connected. */
  get #client(): Redis {
    this.#opened ??= this.#open()
    return this.#opened
  }

  async check(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), this.#limitMs)
    })
    const alive = await Promise.race([this.#ask(), late])
    clearTimeout(timer)
    return alive
  }

  close(): void {
    this.#opened?.disconnect()
  }

  async #ask(): Promise<boolean> {
    try {
      // The first check after startup comes before the connection is open.
      if (this.#client.status === 'connecting' || this.#client.status === 'connect') await this.#ready()
      return (await this.#client.ping()) === 'PONG'
    } catch {
      return false
    }
  }

  #ready(): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => () => {
        this.#client.off('ready', onReady).off('close', onClose)
        act()
      }
      const onReady = settle(resolve)
      const onClose = settle(() => reject(new Error('connection closed')))
      this.#client.once('ready', onReady).once('close', onClose)
    })
  }
}
