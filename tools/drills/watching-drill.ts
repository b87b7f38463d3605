import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { attempt } from '@crewhall/services/commands.ts'
import { ensurePackages } from '@crewhall/services/debian-packages.ts'
import { findServiceFacts } from '@crewhall/services/facts.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { Drill, DrillCheck } from './drill.ts'
import { expectThat } from './expect-that.ts'
import { metricsIn, readAlerts, readQueries, root } from './watching/alert-rules.ts'
import { provokeAll } from './watching/provoked-alerts.ts'
import { post, read, startWatched, type Watched } from './watching/watched.ts'
import { startWatchers, type Watchers } from './watching/watchers.ts'

const programs = [
  'prometheus',
  'prometheus-node-exporter',
  'prometheus-postgres-exporter',
  'prometheus-blackbox-exporter',
]

/** The product under Prometheus: queries of the dashboards, and alerts that real faults make fire. */
export const watchingDrill: Drill = {
  name: 'watching',
  async obstacle() {
    if (process.getuid?.() !== 0) return 'a full disk of its own takes root'
    if (!findServiceFacts()) return 'the services are not up: npm run services -- up'
    await ensurePackages(programs, join(root, '.reports/watching-packages.log'))
    for (const program of programs)
      if ((await attempt(program, ['--version'])).code !== 0) return `${program} is not installed`
    return undefined
  },
  async run(check) {
    const closing: (() => Promise<unknown>)[] = []
    try {
      const watched = await startWatched(closing)
      const watchers = await startWatchers(watched.ports)
      closing.push(() => watchers.stop())
      await checkQueries(check, watched, watchers)
      await checkRunbooks(check, watched, watchers)
      await provokeAll(check, watched, watchers)
    } finally {
      for (const close of closing.reverse()) await close()
    }
  },
}

async function checkQueries(check: DrillCheck, watched: Watched, watchers: Watchers): Promise<void> {
  await check('every product metric that alerts and dashboards name is exported', async () => {
    const texts = await Promise.all(
      Object.values(watched.ports).map(async (port) =>
        (await fetch(`http://127.0.0.1:${port}/metrics`)).text(),
      ),
    )
    const exported = new Set(
      texts.flatMap((text) => [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)),
    )
    // The hub exports the first, and backup-metrics.sh the others.
    const elsewhere = /^(up|crewhall_oldest_delta_seconds|crewhall_backup_\w+|(pg|patroni|node|probe)_\w+)$/
    const named = new Set([...readAlerts(), ...readQueries()].flatMap(({ expr }) => metricsIn(expr)))
    const missing = [...named].filter((name) => !elsewhere.test(name) && !exported.has(name))
    expectThat(missing.length === 0, `missing: ${missing.join(', ')}`)
    return [true, `${named.size} metrics`]
  })
  await check('exporters give what alerts name of them', async () => {
    const named = new Set(readAlerts().flatMap(({ expr }) => metricsIn(expr)))
    // There is no standby here, and a counter loses its ending in that list.
    const wanted = [...named].filter((name) => /^(pg_stat_archiver|node|probe)_/.test(name))
    for (const name of wanted)
      await waitFor(async () => (await watchers.query(`{__name__=~"${name}(_count)?"}`)).length > 0, 40_000)
    return [true, wanted.join(', ')]
  })
  await check('every query of the dashboards is run', async () => {
    for (let round = 0; round < 3; round += 1) {
      for (const title of ['a', 'b', 'c']) await post(watched, title)
      await read(watched)
      const [before] = (await watchers.query('timestamp(crewhall_http_in_flight)')) as {
        value: [number, string]
      }[]
      await waitFor(async () => {
        const [now] = (await watchers.query('timestamp(crewhall_http_in_flight)')) as {
          value: [number, string]
        }[]
        return now?.value[1] !== before?.value[1]
      }, 10_000)
    }
    const queries = readQueries()
    const empty = []
    for (const { dashboard, panel, expr } of queries)
      if ((await watchers.query(expr)).length === 0) empty.push(`${dashboard}: ${panel}`)
    // Nothing has failed yet, and there are neither desks nor models here.
    const filled = queries.length - empty.length
    expectThat(filled >= 15, `nothing in ${empty.join('; ')}`)
    return [true, `${queries.length} queries, ${filled} with data before any fault`]
  })
}

/** What somebody pastes in the night has to work: statements of SQL and queries of Prometheus. */
async function checkRunbooks(check: DrillCheck, watched: Watched, watchers: Watchers): Promise<void> {
  await check('every statement and query of the runbooks runs', async () => {
    const admin = await watched.access.connection('superuser')
    const counts = { statements: 0, queries: 0 }
    try {
      for (const { annotations } of readAlerts()) {
        const page = readFileSync(join(root, annotations.runbook), 'utf8')
        for (const [, text = ''] of page.matchAll(/`([^`]+)`/g)) {
          if (/^select (?!pg_(cancel|terminate|drop)_)/.test(text)) {
            await admin.query(text)
            counts.statements += 1
          }
          if (/^(sum|histogram_quantile|up\{|crewhall_\w+)/.test(text)) {
            await watchers.query(text)
            counts.queries += 1
          }
        }
      }
    } finally {
      await admin.end()
    }
    expectThat(counts.statements >= 8 && counts.queries >= 10, JSON.stringify(counts))
    return [true, `${counts.statements} statements, ${counts.queries} queries`]
  })
}
