import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { attempt } from '@crewhall/services/commands.ts'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { root } from '@crewhall/testkit/server-process.ts'
import type { Drill } from '../drill.ts'
import { HaCluster } from './ha-cluster.ts'
import { obstacleToHa } from './ha-root.ts'

interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: readonly {
    readonly name: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

const titles = '(AUTH|BRD)-[0-9]'

/** Those with tests of these clauses. The tenant matrix walks all routes and takes longer than the rest together. */
const listFiles = (): string[] =>
  globSync('conformance/**/*.test.ts', { cwd: root }).filter(
    (file) =>
      !file.includes('/isolation/') &&
      new RegExp(`['"\`]${titles}`).test(readFileSync(join(root, file), 'utf8')),
  )

/** The tests of AUTH and BRD, each on a database of the cluster, their processes through PgBouncer. */
export const haConformanceDrill: Drill = {
  name: 'ha-conformance',
  obstacle: obstacleToHa,
  async run(check) {
    const work = mkdtempSync(join(tmpdir(), 'ha-drill-'))
    const cluster = await HaCluster.start(work, { takes_all: true })
    try {
      await check('clauses of AUTH and BRD through PgBouncer, HAProxy and Patroni', async () => {
        const facts = join(work, 'services.json')
        writeFileSync(facts, JSON.stringify(factsOf(cluster)), { mode: 0o600 })
        // Where vitest.config.ts puts it: its own setting wins over the command line.
        const file = join(root, '.reports/vitest.json')
        rmSync(file, { force: true })
        const { output } = await attempt(
          join(root, 'node_modules/.bin/vitest'),
          [...['run', '--root', root, '--project', 'conformance', '-t', titles], ...listFiles()],
          { env: { SERVICES_FACTS: facts } },
        )
        const report = JSON.parse(readFileSync(file, 'utf8')) as Report
        const { numPassedTests: passed, numFailedTests: failed } = report
        const tests = report.testResults.flatMap((each) => each.assertionResults)
        const names = tests.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName)
        const files = report.testResults.filter(({ assertionResults }) =>
          assertionResults.some(({ status }) => status === 'passed' || status === 'failed'),
        )
        const note = `${passed + failed} tests of ${files.length} files, ${passed} passed`
        if (failed > 0 || passed === 0)
          throw new Error(`${note}\n${names.join('\n')}\n${output.slice(-1500)}`)
        return [passed, note]
      })
    } finally {
      await cluster.close()
      rmSync(work, { recursive: true, force: true })
    }
  },
}

/** The services of the checkout, with the cluster in place of their PostgreSQL. */
function factsOf(cluster: HaCluster) {
  const facts = readServiceFacts()
  const { direct_url: url, owner_url, admin_url, pooler_port } = cluster
  const { hostname, port, username, password } = new URL(url)
  return {
    ...facts,
    postgres: {
      ...facts.postgres,
      host: hostname,
      port: Number(port),
      pooler_port,
      app_user: username,
      app_password: password,
      url,
      owner_url,
      admin_url,
    },
  }
}
