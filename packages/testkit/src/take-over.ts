import type pg from 'pg'
import { adminUrl, connectTo } from './databases.ts'
import { waitFor } from './wait-for.ts'

/**
 * As if the workers of all jobs under way had been silent for an hour: the next worker is given their jobs as soon as
 * it looks, and nobody waits for a heartbeat. What a frozen worker has locked is given up first, as it would be by then.
 */
export const takeOverNow = (database: string): Promise<void> =>
  asAdminOf(database, async (client) => {
    await waitFor(async () => !(await isInTransaction(client)), 30_000)
    await client.query(
      `update pgboss.job set heartbeat_on = now() - interval '1 hour' where state = 'active'`,
    )
    await client.query(hasten)
  })

/** Waits until workers that look every second have taken away the jobs of silent ones, and lets them begin at once. */
export const handOver = (database: string): Promise<void> =>
  asAdminOf(database, async (client) => {
    await waitFor(async () => {
      const { rows } = await client.query(
        `select from pgboss.job where state = 'active' and heartbeat_on < now() - interval '30 minutes'`,
      )
      return rows.length === 0
    }, 30_000)
    await client.query(hasten)
  })

/** Whether no worker has a job or a transaction at this moment. */
export async function isQuiet(database: string): Promise<boolean> {
  let isQuiet = false
  await asAdminOf(database, async (client) => {
    const { rows } = await client.query(`select from pgboss.job where state = 'active'`)
    isQuiet = rows.length === 0 && !(await isInTransaction(client))
  })
  return isQuiet
}

const hasten = `update pgboss.job set start_after = now() where state = 'retry'`

async function isInTransaction(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    `select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`,
  )
  return rows.length > 0
}

/** A worker that is to stop or die at the step of one job must not come to the same step of another one first. */
export const noOtherJobs = (database: string): Promise<void> =>
  asAdminOf(database, async (client) => {
    await client.query(
      `delete from pgboss.job where state in ('created', 'retry');
       update jobs.schedules set next_at = now() + interval '1 day'`,
    )
  })

async function asAdminOf(database: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = await connectTo(adminUrl(database))
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

/** For a worker that is frozen: its transaction ends soon, and with it what it has locked. */
export const quickToGiveUp = { DATABASE_IDLE_TRANSACTION_TIMEOUT_MS: '3000' }
