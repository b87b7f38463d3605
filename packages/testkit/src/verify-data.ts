import { afterAll, afterEach } from 'vitest'
import { isFull } from './rounds.ts'
import { type Ended, endOfProcess } from './server-process.ts'

/** What `npm run verify-data` says of a database: its exit code and what it printed. */
export const verifyData = (database_url: string, env: Record<string, string> = {}): Promise<Ended> =>
  endOfProcess({ entry: 'apps/server/src/verify-data.ts', database_url, env })

/** Fault tests set this (see vitest.config.ts): whatever broke, no derived value may be wrong afterwards. */
const isWanted = process.env.VERIFY_DATA === 'true'

/**
 * Looks at the database when the tests of a file are over, in the full run after each of them: a wrong value stays,
 * so the gate finds it as well and only does not say which test has left it. Call it last: hooks run in reverse.
 */
export function verifyAfterTests(database: () => { url: string; env?: Record<string, string> }): void {
  if (!isWanted) return
  const verify = async () => {
    const { url, env } = database()
    const { code, output } = await verifyData(url, env)
    if (code !== 0) throw new Error(`the data does not hold together:\n${output}`)
  }
  if (isFull) afterEach(verify)
  else afterAll(verify)
}
