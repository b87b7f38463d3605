import { setTimeout } from 'node:timers/promises'
import { findRoleFault } from '#platform/db/role-fault.ts'
import { Outage } from '#platform/outage/outage.ts'
import { exitMisconfigured } from './config.ts'
import type { Parts } from './parts.ts'

const waitMs = 1000

/** What only the database can tell. Nothing is served before it has, so a wrong role never serves anybody. */
export async function checkStart({ config, database, log }: Parts): Promise<void> {
  if (config.ENVIRONMENT !== 'production') return
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
