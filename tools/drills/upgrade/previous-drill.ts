import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { attempt } from '@crewhall/services/commands.ts'
import type { Drill } from '../drill.ts'
import { obstacleToPrevious, previous, root, withPrevious } from './previous-checkout.ts'

interface Report {
  readonly numTotalTests: number
  readonly numPassedTests: number
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

const migrations = 'apps/server/migrations'

type Areas = Readonly<Record<string, readonly string[]>>

/** What the gate has a minute for. */
const few: Areas = { identity: ['sessions', 'tokens'], boards: ['cards', 'labels'], webhooks: ['settings'] }
/** Most of what reads and writes the tables of an area, in minutes. `DRILL_PREVIOUS=full` runs all files of it. */
const most: Areas = {
  identity: ['auth-credentials', 'auth-rights', 'sessions', 'tokens', 'revocation', 'own-password', 'agents'],
  boards: ['cards', 'activity', 'comments', 'labels', 'views', 'batch', 'attachments', 'relations', 'stream'],
  webhooks: ['deliveries', 'settings'],
}

/** The tests of the last release, with its own code, on the tables that this version makes. */
export const previousDrill: Drill = {
  name: 'previous',
  least: 'short',
  obstacle: obstacleToPrevious,
  run: (check, size) =>
    withPrevious(async (folder) => {
      await check('its migrations are the first of ours, unchanged', async () => {
        const names = readdirSync(join(folder, migrations))
        for (const name of names) {
          const our = join(root, migrations, name)
          if (
            !existsSync(our) ||
            readFileSync(join(folder, migrations, name), 'utf8') !== readFileSync(our, 'utf8')
          )
            throw new Error(`${name} is not what it was`)
        }
        const added = readdirSync(join(root, migrations)).length - names.length
        return [added, `${names.length}, and ${added} since ${previous.version}`]
      })
      cpSync(join(root, migrations), join(folder, migrations), { recursive: true })
      if (size !== 'full') await check('a few of its tests pass on the new tables', () => passIn(folder, few))
      else
        for (const [area, files] of Object.entries(most))
          await check(`its tests of ${area} pass on the new tables`, () => passIn(folder, { [area]: files }))
    }),
}

async function passIn(folder: string, areas: Areas): Promise<readonly [number, string]> {
  const paths = Object.entries(areas).flatMap(([area, files]) => {
    const place = `conformance/${area}`
    return process.env.DRILL_PREVIOUS === 'full' ? [place] : files.map((name) => `${place}/${name}.test.ts`)
  })
  const report = join(folder, '.reports/vitest.json')
  rmSync(report, { force: true })
  // Its report says more than its exit code.
  const { output } = await attempt('npm', ['--prefix', folder, 'test', '--', ...paths])
  if (!existsSync(report)) throw new Error(`the tests did not run: ${output.slice(-600)}`)
  const { numTotalTests, numPassedTests, testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report
  const failed = testResults.flatMap(({ name, status, assertionResults }) => {
    const titles = assertionResults.filter((each) => each.status === 'failed').map(({ fullName }) => fullName)
    return titles.length === 0 && status === 'failed' ? [name] : titles
  })
  const note = `${numPassedTests} of ${numTotalTests} tests in ${testResults.length} files`
  if (failed.length > 0) throw new Error(`${note}\n${failed.join('\n')}`)
  if (numPassedTests === 0 || testResults.length < paths.length)
    throw new Error(`${note}: some were not found`)
  return [numPassedTests, note]
}
