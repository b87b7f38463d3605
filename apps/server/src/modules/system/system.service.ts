import type { Health } from '@crewhall/contracts/system/system.ts'
import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { deriveHealth, type HealthFacts } from './health.rules.ts'
import type { Probes } from './system.ports.ts'

/** How long one check is reused for all callers. */
const freshMs = 1000

export type HealthCheck = (ctx: SystemCtx) => Promise<Health>

/** Shared by concurrent callers; checks the services at most once a second. */
export function createHealthCheck(probes: Probes, monotonicMs: () => number): HealthCheck {
  let looked: Promise<HealthFacts> | undefined
  let lookedAt = 0
  return async (ctx) => {
    if (!looked || monotonicMs() - lookedAt >= freshMs) {
      lookedAt = monotonicMs()
      looked = look(probes)
    }
    return deriveHealth(await looked, ctx.now())
  }
}

async function look(probes: Probes): Promise<HealthFacts> {
  const [database, redis] = await Promise.all([probes.database(), probes.redis()])
  return { database, redis }
}
