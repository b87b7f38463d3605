import type { Redis } from 'ioredis'
import { onRedis } from '#platform/redis/redis.ts'

// Compared and written in one step, so that of two who have read the same value one writes.
const replaceScript = `
  if (redis.call('get', KEYS[1]) or '') ~= ARGV[1] then return 0 end
  redis.call('set', KEYS[1], ARGV[2], 'EX', ARGV[3])
  return 1`

/** Small values that change often and may be lost. Each is forgotten a while after it was last written. */
export class KeptValues {
  readonly #redis: Redis
  readonly #name: string
  readonly #seconds: number

  constructor(redis: Redis, name: string, seconds: number) {
    this.#redis = redis
    this.#name = name
    this.#seconds = seconds
  }

  find(id: string): Promise<string | null> {
    return onRedis(this.#redis.get(this.#keyOf(id)))
  }

  /** Whether it was still the value that was read; if not, nothing is written. */
  async replace(id: string, read: string | null, value: string): Promise<boolean> {
    const replaced = this.#redis.eval(replaceScript, 1, this.#keyOf(id), read ?? '', value, this.#seconds)
    return (await onRedis(replaced)) === 1
  }

  /** Whatever was there before. */
  async put(id: string, value: string): Promise<void> {
    await onRedis(this.#redis.set(this.#keyOf(id), value, 'EX', this.#seconds))
  }

  #keyOf(id: string): string {
    return `${this.#name}:${id}`
  }
}
