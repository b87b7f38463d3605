import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** What `.services/services.json` records: where every part listens and how to log in. */
export interface ServiceFacts {
  port_base: number
  postgres: PostgresFacts
  redis: RedisFacts
  s3: S3Facts
  mail: MailFacts
}

export interface PostgresFacts {
  host: string
  port: number
  database: string
  /** Owns the databases and migrates them. */
  user: string
  password: string
  /** What the product runs as: owns nothing, and row-level security holds for it. */
  app_user: string
  app_password: string
  superuser: string
  superuser_password: string
  /** Database `crewhall` as the role of the product. */
  url: string
  /** The same database as its owner. */
  owner_url: string
  /** Database `postgres` as superuser: for `create database … template …` and for extensions. */
  admin_url: string
  /** Of a pooler in transaction mode before it, which the product has to go through; the services have none. */
  pooler_port?: number
  dir: string
  data_dir: string
  pid_file: string
  log_file: string
}

export interface RedisFacts {
  host: string
  port: number
  url: string
  dir: string
  pid_file: string
  log_file: string
}

export interface S3Facts {
  endpoint: string
  host: string
  port: number
  monitor_port: number
  /** The storage daemon takes four ports of this range. */
  osd_ports: [number, number]
  region: string
  bucket: string
  access_key_id: string
  secret_access_key: string
  dir: string
  pid_files: { monitor: string; osd: string; gateway: string }
}

export interface MailFacts {
  domain: string
  smtp_url: string
  smtp: { host: string; port: number }
  lmtp: { host: string; port: number }
  imap: { host: string; port: number }
  /** Opens the mailbox of every address. */
  imap_password: string
  dir: string
  /** One Maildir per address in lower case, for example `<maildir_root>/ann@mail.test`. */
  maildir_root: string
  pid_files: { postfix: string; dovecot: string }
}

export const repositoryRoot = resolve(import.meta.dirname, '../../..')

export const stateDir = (root: string): string => join(root, '.services')

export const factsFile = (root: string): string => join(stateDir(root), 'services.json')

/** Tests run against other parts than those of the checkout where `SERVICES_FACTS` names a file that describes them. */
const fileToRead = (root: string): string =>
  (root === repositoryRoot && process.env.SERVICES_FACTS) || factsFile(root)

export function findServiceFacts(root: string = repositoryRoot): ServiceFacts | undefined {
  try {
    return JSON.parse(readFileSync(fileToRead(root), 'utf8')) as ServiceFacts
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Error(`${fileToRead(root)} cannot be read`, { cause: error })
  }
}

export function readServiceFacts(root: string = repositoryRoot): ServiceFacts {
  const facts = findServiceFacts(root)
  if (!facts) throw new Error('The services of this checkout were never started. Run: npm run services -- up')
  return facts
}

export function writeServiceFacts(root: string, facts: ServiceFacts): void {
  const draft = `${factsFile(root)}.new`
  writeFileSync(draft, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, factsFile(root))
}
