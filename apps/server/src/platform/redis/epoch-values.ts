import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { onRedis } from '#platform/redis/redis.ts'

// An epoch that was lost, or has never been, begins anew under a name that nobody has seen.
const readScript = `
  local epochs = {}
  for i = 1, 2 do
    epochs[i] = redis.call('get', KEYS[i])
    if not epochs[i] then
      epochs[i] = ARGV[i]
      redis.call('set', KEYS[i], epochs[i], 'EX', ARGV[3])
    end
  end
  local epoch = epochs[1] .. ' ' .. epochs[2]
  local kept = redis.call('hmget', KEYS[3], 'epoch', 'value')
  if kept[1] == epoch then return { epoch, kept[2] } end
  return { epoch, false }`

// What was read before its epoch ended is not kept under the next one.
const keepScript = `
  local epoch = (redis.call('get', KEYS[1]) or '') .. ' ' .. (redis.call('get', KEYS[2]) or '')
  if epoch ~= ARGV[1] then return 0 end
  redis.call('hset', KEYS[3], 'epoch', ARGV[1], 'value', ARGV[2])
  redis.call('pexpire', KEYS[3], ARGV[3])
  return 1`

const epochSeconds = 86_400

export interface EpochValue {
  /** To be handed to `keep`: it is read before the truth is, so that a change in between is noticed. */
  readonly epoch: string
  readonly value: string | null
}

/**
 * Copies of a truth that lies elsewhere. Each belongs to a group, such as a workspace, and ends with the epoch of its group
 * or of all groups. They may be lost.
 */
export class EpochValues {
  readonly #redis: Redis
  readonly #name: string

  constructor(redis: Redis, name: string) {
    this.#redis = redis
    this.#name = name
  }

  async read(group: string, id: string): Promise<EpochValue> {
    const args = [randomUUID(), randomUUID(), epochSeconds]
    const answer = this.#redis.eval(readScript, 3, ...this.#keysOf(group, id), ...args)
    const [epoch, value] = (await onRedis(answer)) as [string, string | null]
    return { epoch, value }
  }

  /** Whether it was kept: not if the epoch has ended since it was read. */
  async keep(group: string, id: string, epoch: string, value: string, limit_ms: number): Promise<boolean> {
    const kept = this.#redis.eval(
      keepScript,
      3,
      ...this.#keysOf(group, id),
      epoch,
      value,
      Math.ceil(limit_ms),
    )
    return (await onRedis(kept)) === 1
  }

  /** Sent at once, before whatever is sent next on the same connection. */
  async end(group: string): Promise<void> {
    await onRedis(this.#redis.set(this.#epochOf(group), randomUUID(), 'EX', epochSeconds))
  }

  async endAll(): Promise<void> {
    await this.end('')
  }

  #keysOf(group: string, id: string): [string, string, string] {
    return [this.#epochOf(group), this.#epochOf(''), `${this.#name}:value:${group}:${id}`]
  }

  #epochOf(group: string): string {
    return `${this.#name}:epoch:${group}`
  }
}
