import { randomBytes } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { adminUrl, connectTo } from './databases.ts'

export interface VirtualClock {
  /** For the environment of every process that shares this clock. */
  readonly env: { readonly TEST_CLOCK_FILE: string }
  /** Moves time on for the processes, the statements and the waiting jobs of one database. */
  advance(ms: number): Promise<void>
  close(): void
}

/**
 * Weeks in a test that takes seconds. Time comes from three places: processes (a file they read), statements
 * (`platform.now()` and `clock_now()`, redefined in this database) and jobs that wait (the engine compares with the real
 * clock, so their due time moves towards us by as much).
 */
export function createVirtualClock(database: string): VirtualClock {
  const file = join(tmpdir(), `crewhall-clock-${randomBytes(6).toString('hex')}`)
  let offsetMs = 0
  // Renamed into place: a process that reads meanwhile finds the old time or the new one, never half of it.
  const show = () => {
    writeFileSync(`${file}.new`, String(offsetMs))
    renameSync(`${file}.new`, file)
  }
  show()
  return {
    env: { TEST_CLOCK_FILE: file },
    async advance(ms) {
      offsetMs += ms
      const client = await connectTo(adminUrl(database))
      try {
        await client.query(
          `create or replace function platform.now() returns timestamptz language sql stable parallel safe
           as $$ select now() + interval '${offsetMs} milliseconds' $$;
           create or replace function platform.clock_now() returns timestamptz language sql volatile parallel safe
           as $$ select clock_timestamp() + interval '${offsetMs} milliseconds' $$`,
        )
        await client.query(
          `update pgboss.job set start_after = start_after - $1::interval where state in ('created', 'retry')`,
          [`${ms} milliseconds`],
        )
      } finally {
        await client.end()
      }
      show()
    },
    close: () => rmSync(file, { force: true }),
  }
}
