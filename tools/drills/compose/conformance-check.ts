import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { attempt } from '@crewhall/services/commands.ts'
import { patientLimits } from '@crewhall/testkit/limits.ts'
import type { DrillCheck } from '../drill.ts'
import { expectThat } from '../expect-that.ts'
import { judgeOutcomes, type TestOutcome } from './conformance-report.ts'
import type { Installation } from './installation.ts'
import { host } from './through-proxy.ts'

const root = resolve(import.meta.dirname, '../../..')
/** SYS, AUTH and BRD. */
const areas = ['system', 'identity', 'boards']

/** As patient as the limits that tests give an API process of their own. */
const roleLimits = {
  statement_timeout: patientLimits.DATABASE_STATEMENT_TIMEOUT_MS,
  lock_timeout: patientLimits.DATABASE_LOCK_TIMEOUT_MS,
  idle_in_transaction_session_timeout: patientLimits.DATABASE_IDLE_TRANSACTION_TIMEOUT_MS,
}

/** The black-box tests of the product, sent to the installation as to any other server. */
export async function checkConformance(installation: Installation, check: DrillCheck): Promise<void> {
  const isReady = await check('API processes start again without rate limits, for tests', async () => {
    const settings = {
      HTTP_RATE_LIMIT_PER_MINUTE: '0',
      HTTP_RATE_LIMIT_PER_CREDENTIAL: '0',
      HTTP_CHECK_ANSWERS: 'true',
      ...patientLimits,
    }
    const lines = Object.entries(settings).map(([name, value]) => `      ${name}: "${value}"\n`)
    const services = ['api-1', 'api-2'].map((name) => `  ${name}:\n    environment:\n${lines.join('')}`)
    installation.override('compose.tests.yaml', `services:\n${services.join('')}`)
    // Through the pooler only the limits of the role count, for connections that are opened from now on.
    for (const [name, value] of Object.entries(roleLimits))
      await installation.ask(`alter role crewhall_app in database crewhall set ${name} = ${value}`)
    await installation.docker.docker('restart', await installation.nameOf('pgbouncer'))
    await installation.up('api-1', 'api-2')
    return [true, '']
  })
  if (!isReady) return
  const folders = areas.map((area) => `conformance/${area}`)
  await check(`tests of ${areas.join(', ')} through the proxy over TLS`, async () => {
    const { passed, failed, not_run } = judgeOutcomes(await runTests(installation, folders))
    const list = join(root, '.reports/compose-not-run.txt')
    writeFileSync(list, not_run.map(({ title, why }) => `${why}\t${title}\n`).join(''))
    const reasons = Map.groupBy(not_run, ({ why }) => why.replace(/ \(.*/, ''))
    const shown = [...reasons].map(([why, tests]) => `${tests.length} ${why}`).join(', ')
    const counts = `${passed} of ${passed + failed.length} passed; ${not_run.length} not run: ${shown}`
    const faults = failed.map(({ title, message }) => `${title}\n    ${message}`)
    expectThat(failed.length === 0, [counts, ...faults].join('\n'))
    expectThat(passed > 0, 'no test ran')
    return [true, counts]
  })
}

/** In the network of an API process, from where the proxy and the database can be reached, and by the public name. */
async function runTests(installation: Installation, folders: readonly string[]): Promise<TestOutcome[]> {
  const reports = join(root, '.reports')
  mkdirSync(reports, { recursive: true })
  const [hosts, report, ca] = ['compose-hosts', 'compose-conformance.json', 'compose-ca.pem'].map((name) =>
    join(reports, name),
  ) as [string, string, string]
  writeFileSync(hosts, `127.0.0.1 localhost\n172.30.84.250 ${host}\n`)
  writeFileSync(ca, installation.cert)
  const database = new URL(
    readFileSync(join(installation.folder, 'secrets/database_direct_url'), 'utf8').trim(),
  )
  database.hostname = await installation.insideOf('postgres')
  const network = `/proc/${await installation.pidOf('api-1')}/ns/net`
  const named = ['unshare', '--mount', 'sh', '-c', `mount --bind ${hosts} /etc/hosts; exec "$@"`, '_']
  const vitest = [process.execPath, join(root, 'node_modules/vitest/vitest.mjs'), 'run']
  const reporter = join(import.meta.dirname, 'outcome-reporter.ts')
  const options = ['--project', 'conformance', '--reporter', reporter, '--root', root]
  rmSync(report, { force: true })
  const env = {
    CONFORMANCE_URL: `https://${host}`,
    CONFORMANCE_DATABASE_URL: database.href,
    OUTCOMES: report,
    NODE_EXTRA_CA_CERTS: ca,
    // Nothing is started, so nothing is bundled.
    TEST_SOURCES: '1',
  }
  const args = [`--net=${network}`, ...named, ...vitest, ...options, ...folders]
  const { output } = await attempt('nsenter', args, { env })
  try {
    return JSON.parse(readFileSync(report, 'utf8')) as TestOutcome[]
  } catch {
    throw new Error(`the tests wrote no report:\n${output.slice(-3000)}`)
  }
}
