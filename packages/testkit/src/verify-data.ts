import { afterEach } from 'vitest'
import { type Ended, endOfProcess } from './server-process.ts'

/** What `npm run verify-data` says of a database: its exit code and what it printed. */
export const verifyData = (database_url: string, env: Record<string, string> = {}): Promise<Ended> =>
  endOfProcess({ entry: 'apps/server/src/verify-data.ts', database_url, env })

/** Files that break things set this (see vitest.config.ts): whatever broke, no derived value may be wrong after it. */
const isWanted = process.env.VERIFY_DATA === 'true'

/** Looks at the database after each test. */
export function verifyAfterEach(database: () => { url: string; env?: Record<string, string> }): void {
  if (!isWanted) return
  afterEach(async () => {
    const { url, env } = database()
    const { code, output } = await verifyData(url, env)
    if (code !== 0) throw new Error(`the data does not hold together:\n${output}`)
  })
}
