import type { Health } from '@crewhall/contracts/system/system.ts'

export interface HealthFacts {
  readonly database: boolean
  readonly redis: boolean
}

const stateOf = (reachable: boolean) => (reachable ? 'connected' : 'disconnected')

/** SYS-02, SYS-03, SYS-05: each service speaks for itself; the whole is healthy when all of them are. */
export function deriveHealth(facts: HealthFacts, now: Date): Health {
  return {
    status: facts.database && facts.redis ? 'healthy' : 'degraded',
    timestamp: now.toISOString(),
    services: { database: stateOf(facts.database), redis: stateOf(facts.redis) },
  }
}
