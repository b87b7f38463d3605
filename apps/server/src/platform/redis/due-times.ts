import type { Redis } from 'ioredis'
import { onRedis } from '#platform/redis/redis.ts'

// Taken and put back with the next time in one step, so that nobody takes the same and nothing is lost with whoever took
// it. Times are spread by a tenth, so that what began together does not stay together. A list without the mark was lost.
const takeScript = `
  if not redis.call('zscore', KEYS[1], ARGV[4]) then return false end
  local due = redis.call('zrangebyscore', KEYS[1], '-inf', ARGV[1], 'WITHSCORES', 'LIMIT', 0, ARGV[2])
  for i = 1, #due, 2 do
    local spread = 0.9 + 0.2 * ((i * 7919) % 100) / 100
    redis.call('zadd', KEYS[1], ARGV[1] + math.floor(ARGV[3] * spread), due[i])
  end
  return due`

/** Never due, and gone whenever the list is. */
const mark = 'filled'

export interface Due {
  readonly member: string
  readonly late_ms: number
}

/** When each of many things is due again. It may be lost, and is then filled anew. */
export class DueTimes {
  readonly #redis: Redis
  readonly #key: string

  constructor(redis: Redis, name: string) {
    this.#redis = redis
    this.#key = `due:${name}`
  }

  /** Undefined if the list was lost, or has never been there. */
  async take(now: Date, limit: number, again_ms: number): Promise<Due[] | undefined> {
    const taken = this.#redis.eval(takeScript, 1, this.#key, now.getTime(), limit, again_ms, mark)
    const flat = (await onRedis(taken)) as string[] | null
    if (flat === null) return undefined
    return Array.from({ length: flat.length / 2 }, (_, at) => ({
      member: flat[2 * at] ?? '',
      late_ms: now.getTime() - Number(flat[2 * at + 1]),
    }))
  }

  /** Those that are known keep their time; the others are due at random within `spread_ms`. */
  async fill(members: readonly string[], now: Date, spread_ms: number): Promise<void> {
    const times = members.flatMap((member) => [now.getTime() + Math.floor(Math.random() * spread_ms), member])
    if (times.length > 0) await onRedis(this.#redis.zadd(this.#key, 'NX', ...times))
  }

  /** After everything was filled in. */
  async markFilled(): Promise<void> {
    await onRedis(this.#redis.zadd(this.#key, '+inf', mark))
  }

  /** Due now. */
  async hurry(member: string, now: Date): Promise<void> {
    await onRedis(this.#redis.zadd(this.#key, 'LT', now.getTime(), member))
  }

  async remove(members: readonly string[]): Promise<void> {
    if (members.length > 0) await onRedis(this.#redis.zrem(this.#key, ...members))
  }
}
