import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { attempt } from '@crewhall/services/commands.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { DrillCheck } from '../drill.ts'
import { expectThat } from '../expect-that.ts'
import { readAlerts, root } from './alert-rules.ts'
import { post, read, sockets, type Watched } from './watched.ts'
import type { Watchers } from './watchers.ts'

/** Alerts that are silent, then a real fault, then alerts that fire. */
export async function provokeAll(check: DrillCheck, watched: Watched, watchers: Watchers): Promise<void> {
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
    await alert('a board is held for seconds', ['CrewhallLockWait', 'CrewhallSlow'], async () => {
      await lock.query('begin; select 1 from boards.boards for update')
      const write = post(watched, 'late')
      await lock.query('select pg_sleep(3); commit')
      await write
    })
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
  } finally {
    await lock.end()
  }
  await provokeJobs(check, alert, watched, watchers)
  await alert('one network opens more connections than it may', ['CrewhallNetworkRefused'], () =>
    crowd(watched.api.url, sockets + 60),
  )
  await alert('a workspace has used its model calls of today', ['CrewhallSpendNear'], async () => {
    const { status } = await watched.recall()
    expectThat(status === 200, `a recall past the limit is ${status}`)
  })
  await alert('all desks hang up on health checks', ['CrewhallDesksMissed'], async () => {
    watched.desks.moodOf = () => 'broken'
  })
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

/** Connections from one address, for a moment. */
async function crowd(url: string, count: number): Promise<void> {
  const { hostname, port } = new URL(url)
  const all: Socket[] = []
  const settled = Array.from({ length: count }, () => {
    const socket = connect(Number(port), hostname)
    all.push(socket)
    socket.on('error', () => {})
    return new Promise<void>((done) => {
      socket.once('connect', done).once('close', () => done())
    })
  })
  await Promise.all(settled)
  for (const socket of all) socket.destroy()
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
