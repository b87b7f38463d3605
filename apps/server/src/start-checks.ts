import { setTimeout } from 'node:timers/promises'
import { findMissingMarks } from '#platform/db/leakproof.ts'
import { findRoleFault } from '#platform/db/role-fault.ts'
import { findOtherLimits, limitsOf } from '#platform/db/role-limits.ts'
import { Outage } from '#platform/outage/outage.ts'
import { exitMisconfigured } from './config.ts'
import { databaseWay } from './database-way.ts'
import type { Parts } from './parts.ts'

const waitMs = 1000

/** What only the database can tell. Nothing is served before it has, so a wrong role never serves anybody. */
export async function checkStart(parts: Parts, processName: string): Promise<void> {
  if (parts.config.ENVIRONMENT === 'production') await refuseWrongRole(parts)
  // Nobody waits for it: it changes nothing, and a database that is away must not keep a process from starting.
  void warnOfSlowSearch(parts)
  if (databaseWay(parts.config, processName).is_pooled) void warnOfMissingLimits(parts)
}

async function refuseWrongRole({ database, log }: Parts): Promise<void> {
  for (;;) {
    try {
      const fault = await findRoleFault(database)
      if (fault === undefined) return
      exitMisconfigured(
        `DATABASE_URL: ${fault}; let it name a role that owns nothing, and give the owner to migrations as DATABASE_OWNER_URL`,
      )
    } catch (error) {
      if (!(error instanceof Outage)) throw error
      log.warn({ error }, 'startup is waiting for the database')
      await setTimeout(waitMs)
    }
  }
}

/** Nothing but the role can limit what comes through a pooler. */
async function warnOfMissingLimits({ config, database, log }: Parts): Promise<void> {
  try {
    const found = await findOtherLimits(database, limitsOf(config))
    if (found.length === 0) return
    log.warn(
      { limits: found },
      'limits of the role differ from the settings: migrate, then RECONNECT the pooler',
    )
  } catch (error) {
    log.info({ error }, 'it could not be checked which limits the role has')
  }
}

async function warnOfSlowSearch({ database, log }: Parts): Promise<void> {
  try {
    const marks = await findMissingMarks(database)
    if (marks === undefined) return
    log.warn(
      { run_as_superuser: marks },
      'text search cannot use its indexes under row-level security: results are right, and slow where there is much; docs/decisions/0046-leakproof-search.md',
    )
  } catch (error) {
    log.info({ error }, 'it could not be checked whether text search may use its indexes')
  }
}
