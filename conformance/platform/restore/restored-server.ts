import { type Ended, endOfProcess } from '@crewhall/testkit/server-process.ts'
import type { TestServer } from '@crewhall/testkit/test-server.ts'

/** What an operator does after a restore. Rows are put back by hand before: that a real backup does so is the drill's to show. */
export class RestoredServer {
  readonly #server: TestServer

  constructor(server: TestServer) {
    this.#server = server
  }

  restore(to: string, args: readonly string[] = [], env: Record<string, string> = {}): Promise<Ended> {
    const { url, owner_url } = this.#server.database
    return endOfProcess({
      entry: 'apps/server/src/crewhall-admin.ts',
      database_url: url,
      env: { DATABASE_OWNER_URL: owner_url, ...env },
      args: ['restore', '--to', to, ...args],
    })
  }

  /** By the clock of the database, which is that of its entries. */
  async now(): Promise<string> {
    const [moment] = await this.#server.sql<{ at: string }>(
      `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at`,
    )
    return moment?.at ?? ''
  }

  /** As if nothing had been written since. */
  async forget(since: string): Promise<void> {
    const owner = await this.#server.connection('owner')
    await owner.query(`select set_config('app.system', 'on', false)`)
    for (const marks of ['platform.audit_marks', 'platform.event_marks'])
      await owner.query(`update ${marks} set last_at = least(last_at, $1::timestamptz)`, [since])
    await owner.query(
      'update boards.boards set last_activity_at = least(last_activity_at, $1::timestamptz)',
      [since],
    )
  }
}
