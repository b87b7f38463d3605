import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findServiceFacts, type ServiceFacts, stateDir, writeServiceFacts } from './facts.ts'
import { withLock } from './file-lock.ts'
import { outsidePrefix } from './make-dir.ts'
import { blockSize, chooseBase, host, registerBase, registryLock } from './port-block.ts'

/** The recorded facts, or on the first start new ones: ports and passwords are chosen once and then kept. */
export async function ensureFacts(root: string): Promise<ServiceFacts> {
  const recorded = findServiceFacts(root)
  if (recorded) {
    if (isMoveWanted(recorded))
      throw new Error(
        `Ports of this checkout start at ${recorded.port_base}. To move them run: npm run services -- reset`,
      )
    return recorded
  }
  return withLock(registryLock, async () => {
    const facts = planFacts(root, await chooseBase(root))
    mkdirSync(stateDir(root), { recursive: true })
    writeServiceFacts(root, facts)
    registerBase(root, facts.port_base)
    return facts
  })
}

export function isMoveWanted(recorded: ServiceFacts): boolean {
  const wanted = process.env.SERVICES_PORT_BASE
  return Boolean(wanted) && Number(wanted) !== recorded.port_base
}

function planFacts(root: string, base: number): ServiceFacts {
  return {
    port_base: base,
    postgres: planPostgres(join(stateDir(root), 'postgres'), base),
    redis: planRedis(join(stateDir(root), 'redis'), base + 1),
    s3: planS3(isPlainPath(root) ? join(stateDir(root), 's3') : join(outsideDir(root), 's3'), base),
    mail: planMail(isOpenPath(root) ? join(stateDir(root), 'mail') : join(outsideDir(root), 'mail'), base),
  }
}

function planPostgres(dir: string, port: number): ServiceFacts['postgres'] {
  const [password, app_password, superuser_password] = [secret(), secret(), secret()]
  return {
    host,
    port,
    database: 'crewhall',
    user: 'crewhall',
    password,
    app_user: 'crewhall_app',
    app_password,
    superuser: 'postgres',
    superuser_password,
    url: `postgres://crewhall_app:${app_password}@${host}:${port}/crewhall`,
    owner_url: `postgres://crewhall:${password}@${host}:${port}/crewhall`,
    admin_url: `postgres://postgres:${superuser_password}@${host}:${port}/postgres`,
    dir,
    data_dir: join(dir, 'data'),
    pid_file: join(dir, 'data', 'postmaster.pid'),
    log_file: join(dir, 'postgres.log'),
  }
}

function planRedis(dir: string, port: number): ServiceFacts['redis'] {
  return {
    host,
    port,
    url: `redis://${host}:${port}`,
    dir,
    pid_file: join(dir, 'redis.pid'),
    log_file: join(dir, 'redis.log'),
  }
}

function planS3(dir: string, base: number): ServiceFacts['s3'] {
  const run = join(dir, 'run')
  return {
    endpoint: `http://${host}:${base + 2}`,
    host,
    port: base + 2,
    monitor_port: base + 3,
    osd_ports: [base + 8, base + blockSize - 1],
    region: 'us-east-1',
    bucket: 'crewhall',
    access_key_id: randomBytes(10).toString('hex').toUpperCase(),
    secret_access_key: randomBytes(20).toString('hex'),
    dir,
    pid_files: {
      monitor: join(run, 'mon.a.pid'),
      osd: join(run, 'osd.0.pid'),
      gateway: join(run, 'client.rgw.pid'),
    },
  }
}

function planMail(dir: string, base: number): ServiceFacts['mail'] {
  return {
    domain: 'mail.test',
    smtp_url: `smtp://${host}:${base + 4}`,
    smtp: { host, port: base + 4 },
    lmtp: { host, port: base + 5 },
    imap: { host, port: base + 6 },
    imap_password: secret(),
    dir,
    maildir_root: join(dir, 'home'),
    pid_files: {
      postfix: join(dir, 'spool', 'pid', 'master.pid'),
      dovecot: join(dir, 'dovecot', 'master.pid'),
    },
  }
}

const secret = (): string => randomBytes(12).toString('hex')

// Ceph and the mail daemons read their folder from config files without quoting, and put sockets into it
// whose whole path the kernel limits to 107 characters.
const isPlainPath = (root: string): boolean => /^[\w./-]+$/.test(root) && root.length <= 60

/** Mail daemons change to users of their own, who must be able to walk down to their folder. */
function isOpenPath(root: string): boolean {
  if (!isPlainPath(root)) return false
  for (let dir = root; dir !== dirname(dir); dir = dirname(dir))
    if ((statSync(dir).mode & 0o001) === 0) return false
  return true
}

/** The same folder for a checkout every time, so that a lost services.json does not leave data behind unseen. */
function outsideDir(root: string): string {
  return outsidePrefix + createHash('sha256').update(root).digest('hex').slice(0, 12)
}
