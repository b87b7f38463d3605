import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { attempt } from '@crewhall/services/commands.ts'
import { ensurePackages } from '@crewhall/services/debian-packages.ts'
import { findServiceFacts, readServiceFacts } from '@crewhall/services/facts.ts'
import { createDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { type FaultProxy, startFaultProxy } from '@crewhall/testkit/fault-proxy.ts'
import { freePort } from '@crewhall/testkit/free-port.ts'
import { newToken } from '@crewhall/testkit/people.ts'
import { runProcess, type ServerProcess, startProcess } from '@crewhall/testkit/server-process.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { accessTo, type DatabaseAccess } from '@crewhall/testkit/world/database-access.ts'
import { newFounder } from '@crewhall/testkit/world/workspace.ts'
import type { Drill, DrillCheck } from './drill.ts'
import { expectThat } from './expect-that.ts'
import { metricsIn, readAlerts, readQueries, root } from './watching/alert-rules.ts'
import { startWatchers, type Watchers } from './watching/watchers.ts'

const programs = [
  'prometheus',
  'prometheus-node-exporter',
  'prometheus-postgres-exporter',
  'prometheus-blackbox-exporter',
]

interface Watched {
  readonly database: TestDatabase
  readonly access: DatabaseAccess
  readonly line: FaultProxy
  readonly api: ServerProcess
  readonly ports: { readonly api: number; readonly worker: number }
  /** In the memories of an agent, which asks a model that is away. */
  readonly search: (words: string) => Promise<Response>
  readonly places: readonly { readonly headers: Record<string, string>; readonly tasks: string }[]
}

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

async function startWatched(closing: (() => Promise<unknown>)[]): Promise<Watched> {
  const database = await createDatabase(`drill_${randomBytes(5).toString('hex')}`)
  closing.push(() => database.drop())
  const access = accessTo(() => database)
  closing.push(() => access.close())
  const owner = { DATABASE_OWNER_URL: database.owner_url }
  await runProcess({ entry: 'apps/server/src/migrate.ts', database_url: database.url, env: owner })
  const line = await startFaultProxy(readServiceFacts().postgres)
  closing.push(() => line.close())
  const inside = await freePort()
  const start = async (name: string, env: Record<string, string>) => {
    const more = { METRICS_PORT: String(inside), DATABASE_POOL_SIZE: '2', ...env }
    const made = await startProcess({
      entry: `apps/server/src/${name}.ts`,
      database_url: line.through(database.url),
      env: more,
    })
    closing.push(() => made.kill())
    return made
  }
  // Nobody listens there.
  const model = {
    EMBEDDINGS: 'url',
    EMBEDDINGS_MODEL: 'away',
    EMBEDDINGS_URL: `http://127.0.0.1:${await freePort()}/v1`,
  }
  const api = await start('api', { HTTP_MAX_IN_FLIGHT: '8', ...model })
  await start('worker', {})
  const get = (path: string, init?: RequestInit) => fetch(`${api.url}${path}`, init)
  const places = []
  const searching: string[] = []
  // One workspace alone would wait for its share, and not for the pool.
  for (let count = 0; count < 3; count += 1) {
    const { owner, token } = await newFounder({ get, sql: access.sql })
    searching.push((await newToken(get, owner, ['memory:read'])).token)
    const headers = { ...bearer(token), 'content-type': 'application/json' }
    const body = '{"name":"Board","key":"KEY"}'
    const made = await get('/api/v1/board/boards', { method: 'POST', headers, body })
    const { id } = (await made.json()) as { id: string }
    places.push({ headers, tasks: `${api.url}/api/v1/board/boards/${id}/tasks` })
  }
  await access.sql(
    `insert into identity.agents (brand_id, agent_id, name) select id, 'bot', 'Bot' from identity.brands`,
  )
  const search = (words: string) =>
    get(`/api/v1/memory/agents/bot/context?query=${words}`, {
      method: 'POST',
      headers: bearer(searching[0] ?? ''),
    })
  return { database, access, line, api, ports: { api: inside, worker: inside + 1 }, places, search }
}

const read = ({ places }: Watched, at = 0): Promise<Response> => {
  const { headers, tasks } = places[at % places.length] ?? {}
  return fetch(tasks ?? '', headers ? { headers } : {})
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

const post = ({ places: [place] }: Watched, title: string): Promise<Response> =>
  fetch(place?.tasks ?? '', {
    method: 'POST',
    headers: place?.headers ?? {},
    body: JSON.stringify({ title }),
  })

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

async function provokeAll(check: DrillCheck, watched: Watched, watchers: Watchers): Promise<void> {
  const fires = async (names: readonly string[], provoke: () => Promise<unknown>) => {
    // One that fires already would show nothing.
    await waitFor(async () => !(await watchers.firing()).some((name) => names.includes(name)), 60_000)
    const began = performance.now()
    for (const name of names)
      await waitFor(async () => {
        await provoke()
        return (await watchers.firing()).includes(name)
      }, 60_000)
    return [true, `after ${((performance.now() - began) / 1000).toFixed(1)} s`] as const
  }
  const provoked = new Set<string>()
  const alert = (fault: string, names: readonly string[], provoke: () => Promise<unknown>) => {
    for (const name of names) provoked.add(name)
    return check(`${names.join(', ')}: ${fault}`, () => fires(names, provoke))
  }
  const told = join(watchers.texts, 'crewhall-backup.prom')
  const write = (text: string) => async () => writeFileSync(told, text)
  const last = 'crewhall_backup_success_timestamp_seconds'
  const verified = 'crewhall_backup_verified_timestamp_seconds'
  const now = Math.floor(Date.now() / 1000)
  const old = now - 27 * 3600
  const good = async () => {
    await write(`${last} ${now}\ncrewhall_backup_verified 1\n${verified} ${now}\n`)()
    await waitFor(
      async () => !(await watchers.firing()).some((name) => name.startsWith('CrewhallBackup')),
      30_000,
    )
  }
  await good()
  await alert('a disk is full', ['CrewhallDisk'], async () =>
    writeFileSync(join(watchers.disk, 'file'), Buffer.alloc(1_000_000)),
  )
  await alert(
    'a certificate of five days',
    ['CrewhallCertificate'],
    once(() => watchers.certify(5)),
  )
  await alert('nobody tells of a backup', ['CrewhallBackupOld'], async () => rmSync(told, { force: true }))
  await good()
  await alert(
    'a backup that was verified 27 hours ago',
    ['CrewhallBackupOld'],
    write(`${last} ${now}\ncrewhall_backup_verified 1\n${verified} ${old}\n`),
  )
  await good()
  await alert(
    'a backup of 27 hours, damaged',
    ['CrewhallBackupOld', 'CrewhallBackupDamaged'],
    write(`${last} ${old}\ncrewhall_backup_verified 0\n${verified} ${old}\n`),
  )
  await check('a good backup ends both', async () => {
    await good()
    return [true, '']
  })
  await check('CrewhallWalLate: a PostgreSQL that has never archived', async () => {
    provoked.add('CrewhallWalLate')
    await waitFor(async () => (await watchers.firing()).includes('CrewhallWalLate'), 60_000)
    return [true, 'from the beginning']
  })
  await alert('nobody answers at the public address', ['CrewhallAddressAway'], async () =>
    watchers.closeAddress(),
  )
  await alert('an exporter is killed', ['CrewhallExporterDown'], async () => watchers.killProbe())
  await alert('a model is away', ['CrewhallModelAway'], async () => {
    const { status } = await watched.search(randomBytes(5).toString('hex'))
    expectThat(status === 200, `a search without its model is ${status}`)
  })
  const lock = await watched.access.connection('superuser')
  try {
    await alert(
      'a table is locked while 20 read',
      ['CrewhallPoolWait', 'CrewhallShed', 'CrewhallErrors'],
      async () => {
        await lock.query('begin; lock table boards.cards in access exclusive mode')
        const reads = Array.from({ length: 20 }, (_, at) => read(watched, at))
        await lock.query('select pg_sleep(1); commit')
        await Promise.all(reads)
      },
    )
    await alert('a board is held for seconds', ['CrewhallLockWait', 'CrewhallSlow'], async () => {
      await lock.query('begin; select 1 from boards.boards for update')
      const write = post(watched, 'late')
      await lock.query('select pg_sleep(3); commit')
      await write
    })
  } finally {
    await lock.end()
  }
  await provokeJobs(check, alert, watched, watchers)
  await alert('the line to the database is cut', ['CrewhallDatabaseAway', 'CrewhallOutage'], async () => {
    watched.line.set({ kind: 'reset' })
    await Promise.all(Array.from({ length: 4 }, (_, at) => read(watched, at)))
  })
  const mended = () =>
    check('the line is whole again: the alert ends by itself', async () => {
      watched.line.set({ kind: 'none' })
      await waitFor(async () => !(await watchers.firing()).includes('CrewhallDatabaseAway'), 60_000)
      return [true, '']
    })
  await mended()
  // Scrapes wait for it, and must not fail by that.
  await alert('the database is silent', ['CrewhallDatabaseAway'], async () =>
    watched.line.set({ kind: 'half_open' }),
  )
  await mended()
  await alert(
    'an API process is killed',
    ['CrewhallDown'],
    once(() => watched.api.kill()),
  )
  const others = readAlerts().filter(({ alert }) => !provoked.has(alert))
  console.log(`by promtool alone: ${others.map(({ alert }) => alert).join(', ')}`)
}

/** However often it is asked for. */
function once(work: () => Promise<unknown>): () => Promise<unknown> {
  let done: Promise<unknown> | undefined
  return () => {
    done ??= work()
    return done
  }
}

type Alert = (fault: string, names: readonly string[], provoke: () => Promise<unknown>) => Promise<unknown>

async function provokeJobs(
  check: DrillCheck,
  alert: Alert,
  watched: Watched,
  watchers: Watchers,
): Promise<void> {
  const admin = await watched.access.connection('superuser')
  // Of a queue that no worker serves.
  const late = `select pgboss.create_queue('drill.late', '{"policy":"standard"}');
    insert into pgboss.job (name, data, start_after) values ('drill.late', '{}', now() - interval '2 minutes')`
  await alert(
    'nobody takes a job',
    ['CrewhallJobsLate'],
    once(() => admin.query(late)),
  )
  const dead = `insert into pgboss.job (name, data, source_name) values ('jobs.dead', '{}', 'drill.late')`
  await alert(
    'a job gave up',
    ['CrewhallJobsDead'],
    once(() => admin.query(dead)),
  )
  await admin.end()
  await check('the command of its runbook sends it again', async () => {
    const page = readFileSync(join(root, 'docs/runbooks/jobs-dead.md'), 'utf8')
    const [, command = ''] = /`(node -e ".*")`/.exec(page) ?? []
    const file = join(watchers.folder, 'database_url')
    writeFileSync(file, `${watched.database.url}\n`, { mode: 0o600 })
    const env = { DATABASE_URL_FILE: file }
    const { code, output } = await attempt('sh', ['-c', `cd ${root}/apps/server && ${command}`], { env })
    expectThat(code === 0 && output.trim() === '1', `${code}: ${output}`)
    await waitFor(async () => !(await watchers.firing()).includes('CrewhallJobsDead'), 20_000)
    return [true, 'and the alert ends']
  })
}
