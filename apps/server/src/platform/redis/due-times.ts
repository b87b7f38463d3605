import type { Redis } from 'ioredis'
import { onRedis } from '#platform/redis/redis.ts'

// Taken and put back with the next time in one step, so that nobody takes the same and nothing is lost with whoever took
// it. Times are spread by a tenth, so that what began together does not stay together.
const takeScript = `
  local due = redis.call('zrangebyscore', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
  for i, member in ipairs(due) do
    local spread = 0.9 + 0.2 * ((i * 7919) % 100) / 100
    redis.call('zadd', KEYS[1], ARGV[1] + math.floor(ARGV[3] * spread), member)
  end
  return due`

/** When each of many things is due again. It may be lost, and is then filled anew. */
export class DueTimes {
  readonly #redis: Redis
  readonly #key: string

  constructor(redis: Redis, name: string) {
    this.#redis = redis
    this.#key = `due:${name}`
  }

  async take(now: Date, limit: number, again_ms: number): Promise<string[]> {
    const taken = this.#redis.eval(takeScript, 1, this.#key, now.getTime(), limit, again_ms)
    return (await onRedis(taken)) as string[]
  }

  /** Those that are known keep their time; the others are due at random within `spread_ms`. */
  async fill(members: readonly string[], now: Date, spread_ms: number): Promise<void> {
    const times = members.flatMap((member) => [now.getTime() + Math.floor(Math.random() * spread_ms), member])
    if (times.length > 0) await onRedis(this.#redis.zadd(this.#key, 'NX', ...times))
  }

  /** Due now. */
  async hurry(member: string, now: Date): Promise<void> {
    await onRedis(this.#redis.zadd(this.#key, 'LT', now.getTime(), member))
  }

  async remove(members: readonly string[]): Promise<void> {
    if (members.length > 0) await onRedis(this.#redis.zrem(this.#key, ...members))
  }
}
