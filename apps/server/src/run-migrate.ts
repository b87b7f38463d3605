import { fileURLToPath } from 'node:url'
import type { JobSpec } from '@crewhall/contracts/job.ts'
import { systemCtx } from '#platform/ctx/ctx.ts'
import { grantToProduct } from '#platform/db/grants.ts'
import { migrate } from '#platform/db/migrate.ts'
import { limitsOf, setRoleLimits } from '#platform/db/role-limits.ts'
import { installJobs } from '#platform/jobs/install.ts'
import type { Config } from './config.ts'
import { migrationsFolder } from './migrations-folder.ts'
import { loadShippedEmployees } from './modules/hires/hires.module.ts'
import { publishBuiltInPackages } from './modules/marketplace/marketplace.module.ts'
import { createParts } from './parts.ts'

const catalog = fileURLToPath(new URL('../catalog', import.meta.url))

/**
 * Brings a database to the state this version needs: tables, queues, schedules, and what it brings for the marketplace and
 * the catalog of employees. Safe to run at any time.
 */
export async function runMigrate(config: Config, jobs: readonly JobSpec[]): Promise<void> {
  const ownerUrl = config.DATABASE_OWNER_URL ?? config.DATABASE_DIRECT_URL ?? config.DATABASE_URL
  const asOwner = { ...config, DATABASE_URL: ownerUrl, DATABASE_DIRECT_URL: undefined }
  const parts = await createParts(asOwner, 'migrate')
  const { applied, is_ahead } = await migrate(ownerUrl, migrationsFolder, parts.log, parts.version)
  if (!is_ahead) {
    await installJobs(parts.engine, parts.database, jobs, parts.log)
    const as = (name: string) => systemCtx(parts.ctx, parts.log, { kind: 'system', name })
    await publishBuiltInPackages(as('marketplace.publish'))
    await loadShippedEmployees(as('hires.load'), catalog)
    await grantToProduct(ownerUrl, decodeURIComponent(new URL(config.DATABASE_URL).username))
    if (config.DATABASE_DIRECT_URL) await setRoleLimits(config.DATABASE_DIRECT_URL, limitsOf(config))
    parts.log.info({ applied }, 'database is up to date')
  }
  await parts.close()
}
