import { adminUrl, connectTo } from './databases.ts'
import { waitFor } from './wait-for.ts'

// A lock on a row is waited for as one on a transaction, which belongs to no database; who waits does.
const waiters = `select distinct l.pid from pg_locks l join pg_stat_activity a on a.pid = l.pid
  where not l.granted and a.datname = current_database()`

/**
 * Takes a lock, starts one step after the other, each as soon as the one before is done or waits for a lock, and
 * gives way. So two callers meet exactly where they should, and not by chance.
 */
export async function whileLocked<T>(
  database: string,
  lock: string,
  steps: readonly (() => Promise<T>)[],
): Promise<T[]> {
  const client = await connectTo(adminUrl(database))
  const waiting = async () => {
    // Inside a transaction Postgres goes on telling of the backends it saw at first.
    await client.query('select pg_stat_clear_snapshot()')
    return (await client.query(waiters)).rowCount ?? 0
  }
  const started: Promise<T>[] = []
  try {
    await client.query('begin')
    await client.query(lock)
    for (const step of steps) {
      const before = await waiting()
      let isDone = false
      const run = step().finally(() => {
        isDone = true
      })
      started.push(run)
      await waitFor(async () => isDone || (await waiting()) > before, 30_000)
    }
    await client.query('commit')
    return await Promise.all(started)
  } finally {
    await client.end()
    await Promise.allSettled(started)
  }
}
