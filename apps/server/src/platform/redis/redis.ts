import { Redis } from 'ioredis'
import type { Log } from '#platform/log/log.ts'
import { Outage } from '#platform/outage/outage.ts'

export interface RedisOptions {
  readonly url: string
  readonly prefix: string
  readonly command_timeout_ms: number
}

/**
 * Redis holds nothing that matters: every value can be rebuilt from Postgres. Commands fail fast when it is down, so that
 * callers can continue without it.
 */
export function createRedis(options: RedisOptions, log: Log): Redis {
  const client = new Redis(options.url, {
    keyPrefix: options.prefix,
    commandTimeout: options.command_timeout_ms,
    connectTimeout: options.command_timeout_ms,
    // A silently dropped connection never recovers; only a new one reaches Redis again.
    socketTimeout: options.command_timeout_ms,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 5), 1000),
  })
  let lost = false
  client.on('error', (error) => {
    if (!lost) log.warn({ error }, 'redis is unreachable')
    lost = true
  })
  client.on('ready', () => {
    if (lost) log.info({}, 'redis is reachable again')
    lost = false
  })
  return client
}

/** Runs Redis commands and names their failure. */
export async function onRedis<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const late = error instanceof Error && /timed out/i.test(error.message)
    throw new Outage('redis', late ? 'timeout' : 'unreachable', { cause: error })
  }
}
