import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { run } from '@crewhall/services/commands.ts'
import { ensurePackages, isRoot } from '@crewhall/services/debian-packages.ts'
import { findServiceFacts, readServiceFacts } from '@crewhall/services/facts.ts'
import { createDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { startFaultProxy } from '@crewhall/testkit/fault-proxy.ts'
import { ensureHostRoot, hostPackages } from '@crewhall/testkit/hosts/host-root.ts'
import { startHost, type TestHost } from '@crewhall/testkit/hosts/test-host.ts'
import { json, signUp } from '@crewhall/testkit/people.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { Drill, DrillCheck } from './drill.ts'
import { expectThat } from './expect-that.ts'

const root = resolve(import.meta.dirname, '../..')
const units = ['crewhall-api@1', 'crewhall-api@2', 'crewhall-worker@1', 'crewhall-worker@2']

/** The units of systemd on a Debian with nothing of ours, by the commands of docs/production.md. */
export const unitsDrill: Drill = {
  name: 'units',
  async obstacle() {
    if (!isRoot) return 'a machine of its own takes root'
    if (!findServiceFacts()) return 'the services are not up: npm run services -- up'
    await ensurePackages([...hostPackages], join(root, '.reports/host-packages.log'))
    return undefined
  },
  async run(check) {
    const work = mkdtempSync(join(tmpdir(), 'units-drill-'))
    const product = join(work, 'crewhall')
    const closing: (() => Promise<unknown>)[] = []
    try {
      const isMade = await check('the product is put together from the last commit', async () => {
        mkdirSync(product)
        await run('sh', ['-c', `git -C "$1" archive HEAD | tar -x -C "$2"`, '_', root, product])
        for (const command of ['npm ci', 'npm run build', 'npm prune --omit=dev'])
          await run('sh', [
            '-c',
            `cd "$1" && PATH=$PWD/node_modules/.bin:$PATH ${command} --silent`,
            '_',
            product,
          ])
        return [true, `${(await run('du', ['-sm', product])).split('\t')[0]} MB`]
      })
      if (!isMade) return
      await ensureHostRoot()
      const machine = await startHost({ binds: [`${product}:/opt/crewhall`] })
      closing.push(() => machine.remove())
      const database = await createDatabase(`drill_${randomBytes(5).toString('hex')}`)
      closing.push(() => database.drop())
      await configure(machine, database, closing)
      await useUnits(machine, check)
    } finally {
      for (const close of closing.reverse()) await close()
      rmSync(work, { recursive: true, force: true })
    }
  },
}

/** Database, Redis and S3 of another machine: of this one. */
async function configure(
  machine: TestHost,
  database: TestDatabase,
  closing: (() => Promise<unknown>)[],
): Promise<void> {
  const { postgres, redis, s3 } = readServiceFacts()
  const lineTo = async (target: { host: string; port: number }) => {
    const line = await startFaultProxy(target, machine.gateway)
    closing.push(() => line.close())
    return line
  }
  const [sql, cache, objects] = [await lineTo(postgres), await lineTo(redis), await lineTo(s3)]
  const secrets = {
    database_url: sql.through(database.url),
    database_direct_url: sql.through(database.url),
    database_owner_url: sql.through(database.owner_url),
    redis_url: cache.through(redis.url),
    signing_key: randomBytes(32).toString('base64url'),
    s3_access_key_id: s3.access_key_id,
    s3_secret_access_key: s3.secret_access_key,
    smtp_url: `smtp://${machine.gateway}:25`,
  }
  const settings = {
    PUBLIC_URL: 'https://crewhall.example',
    HTTP_HOST: '0.0.0.0',
    S3_ENDPOINT: objects.through(s3.endpoint),
    S3_BUCKET: s3.bucket,
    S3_PREFIX: `${database.name}/`,
    REDIS_PREFIX: `${database.name}:`,
    MAIL_FROM: 'crewhall@crewhall.example',
    MAIL_DOMAIN: 'crewhall.example',
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
  await machine.must('install -d -m 700 /etc/crewhall /etc/crewhall/secrets')
  await machine.must('cat > /etc/crewhall/settings', { input: lines.join('') })
  for (const [name, value] of Object.entries(secrets))
    await machine.must(`umask 077; cat > /etc/crewhall/secrets/${name}`, { input: `${value}\n` })
}

async function useUnits(machine: TestHost, check: DrillCheck): Promise<void> {
  const shown = async (unit: string, what: string) =>
    (await machine.must(`systemctl show --property=${what} --value ${unit}`)).trim()
  const untilReady = async () => {
    const ready = [9401, 9402, 9501, 9502].map((port) => `curl -sf http://127.0.0.1:${port}/ready`)
    await waitFor(async () => (await machine.run(ready.join(' && '))).code === 0, 120_000).catch(async () => {
      throw new Error((await machine.run('journalctl --no-pager -n 60 -u "crewhall*"')).output)
    })
  }
  const isUp = await check('the commands of docs/production.md start it', async () => {
    const began = performance.now()
    const page = readFileSync(join(root, 'docs/production.md'), 'utf8')
    const commands = /## Without containers[\s\S]*?```sh\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
    expectThat(commands.includes('systemctl enable --now crewhall.target'), 'the page has no such commands')
    await machine.must(`set -e; cd /opt/crewhall\n${commands}`)
    await untilReady()
    return [true, `4 processes ready after ${((performance.now() - began) / 1000).toFixed(1)} s`]
  })
  if (!isUp) return
  const get = (path: string, init?: RequestInit) => fetch(`http://${machine.address}:8401${path}`, init)
  await check('a person signs up and makes a board', async () => {
    const { cookie } = await signUp(get)
    const made = await get('/api/v1/board/boards', json({ name: 'Launch', key: 'LA' }, { cookie }))
    expectThat(made.status === 201, `the board was answered ${made.status}: ${await made.text()}`)
    expectThat((await get('/dashboard')).ok, 'there is no dashboard')
    return [true, '']
  })
  await check('no secret is in the environment, and processes have a user of their own', async () => {
    for (const unit of units) {
      const pid = await shown(unit, 'MainPID')
      const environment = await machine.must(`tr '\\0' '\\n' < /proc/${pid}/environ`)
      for (const word of ['postgres://', 'redis://', 'SIGNING_KEY='])
        expectThat(!environment.includes(word), `${unit} has ${word} in its environment`)
      const uid = await machine.must(`stat -c %u /proc/${pid}`)
      expectThat(Number(uid) > 60_000, `${unit} runs as ${uid}`)
    }
    return [true, `user ${await machine.must(`stat -c %u /proc/${await shown(units[0] ?? '', 'MainPID')}`)}`]
  })
  await check('the unit of the hub starts, with WireGuard on its port', async () => {
    await machine.must(`set -e; umask 077; cd /etc/crewhall
      wg genkey > secrets/hub_private_key
      printf 'MESH_HUB_ENDPOINT=${machine.address}:51820\nMESH_API_URL=http://127.0.0.1:8401\n' >> settings
      printf 'MESH_HUB_PUBLIC_KEY=%s\n' "$(wg pubkey < secrets/hub_private_key | tr '+/' '-_' | tr -d '=')" >> settings
      systemctl enable --now crewhall-hub`)
    const port = await waitFor(async () => {
      const asked = 'wg show all listen-port && nft list tables && curl -sf http://127.0.0.1:9600/ready'
      const { code, output } = await machine.run(asked)
      return code === 0 && output.includes('51820') && /table \S+ crewhall/.test(output) && output
    }, 60_000).catch(async () => {
      throw new Error((await machine.run('journalctl --no-pager -n 40 -u crewhall-hub')).output)
    })
    const pid = await shown('crewhall-hub', 'MainPID')
    await machine.must(`kill -9 ${pid}`)
    await waitFor(async () => ![pid, '0'].includes(await shown('crewhall-hub', 'MainPID')), 30_000)
    return [true, `${port.trim().split('\n')[0]?.replace(/\s+/, ' port ')}; started again after kill -9`]
  })
  await check('a process that is killed is started again', async () => {
    const times = []
    for (const unit of units) {
      const pid = await shown(unit, 'MainPID')
      const began = performance.now()
      await machine.must(`kill -9 ${pid}`)
      await waitFor(async () => ![pid, '0'].includes(await shown(unit, 'MainPID')), 30_000)
      times.push(((performance.now() - began) / 1000).toFixed(1))
    }
    return [true, `${times.join(', ')} s`]
  })
  await check('a reboot brings all of it back', async () => {
    await machine.reboot()
    const began = performance.now()
    await waitFor(async () => (await get('/api/v1/system/health').catch(() => undefined))?.ok, 120_000)
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    await untilReady()
    return [true, `health after ${seconds} s, 4 processes ready`]
  })
  await check('stopping ends all of them well', async () => {
    await machine.must('systemctl stop crewhall.target')
    for (const unit of units) {
      await waitFor(async () => (await shown(unit, 'ActiveState')) !== 'deactivating', 60_000)
      const result = `${await shown(unit, 'Result')} ${await shown(unit, 'ExecMainStatus')}`
      expectThat(result === 'success 0', `${unit} ended with ${result}`)
    }
    return [true, '']
  })
  await check('a wrong setting is told and not tried again and again', async () => {
    await machine.must('echo HTTP_BODY_LIMIT_BYTES=many >> /etc/crewhall/settings')
    await machine.must('systemctl start --no-block crewhall-api@1')
    await waitFor(async () => (await shown('crewhall-api@1', 'ActiveState')) === 'failed', 60_000)
    const [code, times] = [
      await shown('crewhall-api@1', 'ExecMainStatus'),
      await shown('crewhall-api@1', 'NRestarts'),
    ]
    expectThat(code === '78' && times === '0', `it ended with ${code}, started again ${times} times`)
    return [true, 'ended with 78']
  })
}
