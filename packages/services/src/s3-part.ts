import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cephConfig, cephConfigFile } from './ceph-config.ts'
import { run, tailOf, waitUntil } from './commands.ts'
import type { S3Facts, ServiceFacts } from './facts.ts'
import { makeDir } from './make-dir.ts'
import type { Part } from './part.ts'
import { listProcesses, type ProcessMatch, readPid } from './processes.ts'
import { requestBucket } from './s3-request.ts'

export function makeS3Part({ s3: facts }: ServiceFacts): Part {
  const match: ProcessMatch = { program: /\/(ceph-mon|ceph-osd|radosgw)( \(deleted\))?$/, dirs: [facts.dir] }
  const { gateway, osd, monitor } = facts.pid_files
  return {
    name: 's3',
    address: `${facts.host}:${facts.port}`,
    packages: ['ceph-mon', 'ceph-osd', 'radosgw', 'ceph-common'],
    pidFiles: [gateway, osd, monitor],
    match,
    stopSignal: 'SIGTERM',
    dir: facts.dir,
    start: () => start(facts, match),
    isReady: async () => (await requestBucket(facts, 'HEAD', 5_000)) === 200,
  }
}

const preparedFile = (facts: S3Facts): string => join(facts.dir, 'prepared')

async function start(facts: S3Facts, match: ProcessMatch): Promise<void> {
  const fresh = !existsSync(preparedFile(facts))
  // An unfinished cluster looks like a damaged one, so it is created again.
  if (fresh) await makeCluster(facts)
  const config = ['-c', cephConfigFile(facts)]
  const ensure = async (pidFile: string, program: string, args: string[]): Promise<void> => {
    const pid = readPid(pidFile)
    if (listProcesses(match).some((entry) => entry.pid === pid)) return
    await run(program, [...config, ...args], { logFile: startLog(facts) })
  }
  await ensure(facts.pid_files.monitor, 'ceph-mon', ['-i', 'a'])
  if (fresh) await makeStore(facts, config)
  await ensure(facts.pid_files.osd, 'ceph-osd', ['-i', '0'])
  if (fresh) await makeUser(facts, config)
  await ensure(facts.pid_files.gateway, 'radosgw', ['-n', 'client.rgw'])
  await waitForBucket(facts)
  writeFileSync(preparedFile(facts), '')
}

const startLog = (facts: S3Facts): string => join(facts.dir, 'log', 'start.log')

async function makeCluster(facts: S3Facts): Promise<void> {
  rmSync(facts.dir, { recursive: true, force: true })
  makeDir(facts.dir)
  for (const name of ['mon', 'osd', 'run', 'log']) mkdirSync(join(facts.dir, name))
  const fsid = randomUUID()
  writeFileSync(cephConfigFile(facts), cephConfig(facts, fsid))
  const keyring = join(facts.dir, 'keyring')
  // One file holds all keys: --mkfs of the monitor takes in every key it finds there.
  const keys: [string, string[]][] = [
    ['mon.', ['mon', 'allow *']],
    ['client.admin', ['mon', 'allow *', 'osd', 'allow *']],
    ['osd.0', ['mon', 'allow profile osd', 'osd', 'allow *']],
    ['client.rgw', ['mon', 'allow rwx', 'osd', 'allow rwx']],
  ]
  for (const [name, caps] of keys) {
    const capArgs = caps.flatMap((cap, index) => (index % 2 === 0 ? ['--cap', cap] : [cap]))
    const create = existsSync(keyring) ? [] : ['--create-keyring']
    await run('ceph-authtool', [keyring, ...create, '--gen-key', '--name', name, ...capArgs])
  }
  const map = join(facts.dir, 'monmap')
  const address = `[v2:${facts.host}:${facts.monitor_port}]`
  await run('monmaptool', ['--create', '--fsid', fsid, '--addv', 'a', address, map])
  const config = ['-c', cephConfigFile(facts)]
  const source = ['--monmap', map, '--keyring', keyring]
  await run('ceph-mon', [...config, '--mkfs', '-i', 'a', ...source], { logFile: startLog(facts) })
}

async function makeStore(facts: S3Facts, config: string[]): Promise<void> {
  const uuid = randomUUID()
  await run('ceph', [...config, '--connect-timeout', '20', 'osd', 'new', uuid])
  await run('ceph-osd', [...config, '-i', '0', '--mkfs', '--osd-uuid', uuid], { logFile: startLog(facts) })
}

async function makeUser(facts: S3Facts, config: string[]): Promise<void> {
  const keys = ['--access-key', facts.access_key_id, '--secret', facts.secret_access_key]
  const user = ['user', 'create', '--uid', 'crewhall', '--display-name', 'crewhall', ...keys]
  await run('radosgw-admin', [...config, ...user])
}

/** Making the bucket is the readiness test: it needs the gateway, the storage daemon and the login. */
async function waitForBucket(facts: S3Facts): Promise<void> {
  const ready = await waitUntil(async () => {
    const status = await requestBucket(facts, 'HEAD', 5_000)
    return status === 200 || (status === 404 && (await requestBucket(facts, 'PUT', 30_000)) === 200)
  }, 120_000)
  if (ready) return
  const log = join(facts.dir, 'log', 'client.rgw.log')
  throw new Error(`S3 did not start (${join(facts.dir, 'log')}):\n${tailOf(startLog(facts))}\n${tailOf(log)}`)
}
