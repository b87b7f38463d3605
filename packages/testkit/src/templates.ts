import { existsSync } from 'node:fs'
import { adminUrl, connectTo, createDatabase, databaseUrl, dropDatabase, ownerUrl } from './databases.ts'
import { relaxDurability, restoreDurability } from './durability.ts'
import { given } from './given-address.ts'
import { runProcess } from './server-process.ts'
import { endStarted } from './started-servers.ts'

/** The databases that tests copy: the product as a migration leaves it, and the same with the probe. */
const templates = {
  product: 'apps/server/src/migrate.ts',
  probe: 'apps/server/test/probe/probe-migrate.ts',
} as const

export type Template = keyof typeof templates

/** The process that runs the tests, so that two runs on one machine do not meet. */
export const testRun = (): string => process.env.CREWHALL_TEST_RUN ?? String(process.pid)

export const templateName = (template: Template): string => `t${testRun()}_${template}`

/** Runs once before all test files. */
export async function setup(): Promise<() => Promise<void>> {
  if (given) return async () => {}
  process.env.CREWHALL_TEST_RUN = String(process.pid)
  await relaxDurability()
  const names = Object.keys(templates).map((name) => templateName(name as Template))
  await Promise.all(
    Object.entries(templates).map(async ([name, entry]) => {
      const database = templateName(name as Template)
      await dropDatabase(database)
      await createDatabase(database)
      const env = { DATABASE_OWNER_URL: ownerUrl(database) }
      await runProcess({ entry, database_url: databaseUrl(database), env })
    }),
  )
  return async () => {
    await endStarted(testRun())
    for (const name of names) await dropDatabase(name)
    if (!(await isAnotherRunning())) await restoreDurability()
  }
}

/** Whoever ends last makes PostgreSQL wait for the disk again. A run has its templates as long as it goes on, or was killed. */
async function isAnotherRunning(): Promise<boolean> {
  const client = await connectTo(adminUrl('postgres'))
  try {
    const { rows } = await client.query<{ run: string }>(
      `select substring(datname from '^t(\\d+)_product$') as run from pg_database where datname ~ '^t\\d+_product$'`,
    )
    return rows.some(({ run }) => existsSync(`/proc/${run}`))
  } finally {
    await client.end()
  }
}
