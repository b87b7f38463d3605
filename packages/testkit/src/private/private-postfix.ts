import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run, waitUntil } from '@crewhall/services/commands.ts'
import { isRoot } from '@crewhall/services/debian-packages.ts'
import { type MailFacts, readServiceFacts } from '@crewhall/services/facts.ts'
import { greets } from '@crewhall/services/greeting.ts'
import { fillPostfix, postfixInstance, postfixMaster } from '@crewhall/services/postfix-config.ts'
import { type ProcessMatch, signalAll } from '@crewhall/services/processes.ts'
import { afterAll, beforeAll } from 'vitest'
import { adminUrl, connectTo, type TestDatabase } from '../databases.ts'
import { freePort } from '../free-port.ts'
import { root } from '../server-process.ts'

export interface PrivatePostfix {
  readonly smtp_url: string
  /** Of the addresses that it takes mail for. */
  readonly domain: string
  /** As the role that the mail server logs in as. */
  readonly database_url: string
  /** The account of Dovecot that holds the mail of a person. */
  mailboxOf(person_id: number): string
  /** Where mail to postmaster goes. */
  readonly operator_mailbox: string
}

const host = '127.0.0.1'
const prefix = 'crewhall-postfix-'

/**
 * A Postfix of its own on a free port, with the configuration of `deploy/postfix` and the addresses of one
 * database. It hands mail to the Dovecot of the services. For one test file; call it after `useServer`. With
 * `through` it reaches the database by another address, such as that of a proxy.
 */
export function usePostfix(
  server: { readonly database: TestDatabase },
  through: (url: string) => string = (url) => url,
): PrivatePostfix {
  let started: Started | undefined
  const need = () => {
    if (!started) throw new Error('Postfix is up only while tests run')
    return started
  }
  beforeAll(async () => {
    await sweepAbandoned()
    started = await startPostfix(server.database, through)
  })
  afterAll(() => started?.close())
  return {
    get smtp_url() {
      return need().smtp_url
    },
    get domain() {
      return need().domain
    },
    get database_url() {
      return need().database_url
    },
    get operator_mailbox() {
      return need().operator_mailbox
    },
    mailboxOf: (person_id) => need().mailboxOf(person_id),
  }
}

interface Started extends PrivatePostfix {
  close(): Promise<void>
}

async function startPostfix(database: TestDatabase, through: (url: string) => string): Promise<Started> {
  if (!isRoot) throw new Error('Postfix starts only as root. Run these tests as root')
  const { mail } = readServiceFacts()
  const role = await createRole(database)
  const dir = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`))
  const port = await freePort()
  const mailboxDomain = `${database.name.replaceAll('_', '-')}.mailboxes`
  const close = async () => {
    await signalAll(matchOf(dir), 'SIGKILL')
    rmSync(dir, { recursive: true, force: true })
    await role.drop()
  }
  try {
    await writeConfig({ dir, port, mail, mailboxDomain, database_url: through(role.url) })
    const logFile = join(dir, 'log', 'start.log')
    await run('postfix', ['-c', join(dir, 'postfix'), 'start'], { logFile })
    if (!(await waitUntil(() => greets({ host, port }, '220'), 20_000)))
      throw new Error(`Postfix did not start:\n${readFileSync(join(dir, 'log', 'postfix.log'), 'utf8')}`)
  } catch (error) {
    await close()
    throw error
  }
  return {
    smtp_url: `smtp://${host}:${port}`,
    domain: mail.domain,
    database_url: role.url,
    operator_mailbox: `operator@${mailboxDomain}`,
    mailboxOf: (person_id) => `${person_id}@${mailboxDomain}`,
    close,
  }
}

interface PostfixInstance {
  readonly dir: string
  readonly port: number
  readonly mail: MailFacts
  readonly mailboxDomain: string
  readonly database_url: string
}

async function writeConfig({ dir, port, mail, mailboxDomain, database_url }: PostfixInstance): Promise<void> {
  chmodSync(dir, 0o755)
  const config = join(dir, 'postfix')
  for (const name of ['postfix', 'spool', 'data', 'log']) mkdirSync(join(dir, name))
  const { hostname, port: databasePort, pathname, username, password } = new URL(database_url)
  const values = {
    MX_NAME: `mx.${mail.domain}`,
    MAIL_DOMAIN: mail.domain,
    MAILBOX_DOMAIN: mailboxDomain,
    LMTP_ADDRESS: `${mail.lmtp.host}:${mail.lmtp.port}`,
    OPERATOR_ADDRESS: `operator@${mailboxDomain}`,
    DATABASE_HOST: `${hostname}:${databasePort}`,
    DATABASE_NAME: pathname.slice(1),
    DATABASE_ROLE: username,
    DATABASE_PASSWORD: password,
  }
  const main = `${fillPostfix('main.cf', values)}${postfixInstance({ dir, port })}`
  writeFileSync(join(config, 'main.cf'), main)
  writeFileSync(join(config, 'master.cf'), postfixMaster({ host, port }))
  writeFileSync(join(config, 'roles'), fillPostfix('roles', values))
  writeFileSync(join(config, 'addresses.cf'), fillPostfix('addresses.cf', values), { mode: 0o640 })
  await run('chgrp', ['postfix', join(config, 'addresses.cf')])
  await run('chown', ['postfix:', join(dir, 'data')])
}

/** Made by the statements that an operator runs, under a name of its own: roles belong to the whole cluster. */
async function createRole({ name: database }: TestDatabase) {
  const role = `mail_${process.pid}_${randomBytes(4).toString('hex')}`
  const password = randomBytes(12).toString('hex')
  const statements = readFileSync(join(root, 'deploy', 'postfix', 'role.sql'), 'utf8')
  await asAdminOf(database, statements.replaceAll('crewhall_mail', role))
  await asAdminOf(database, `alter role ${role} password '${password}'`)
  return {
    url: Object.assign(new URL(adminUrl(database)), { username: role, password }).href,
    drop: () => asAdminOf(database, `drop owned by ${role}; drop role ${role}`),
  }
}

async function asAdminOf(database: string, sql: string): Promise<void> {
  const client = await connectTo(adminUrl(database))
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

const matchOf = (dir: string): ProcessMatch => ({
  program: /^\/usr\/lib\/postfix\//,
  dirs: [dir, join(dir, 'spool')],
})

/** A test process that was killed could not clean up after itself; the next one does. */
async function sweepAbandoned(): Promise<void> {
  for (const entry of readdirSync(tmpdir())) {
    if (!entry.startsWith(prefix) || isAlive(Number.parseInt(entry.slice(prefix.length), 10))) continue
    const dir = join(tmpdir(), entry)
    await signalAll(matchOf(dir), 'SIGKILL')
    rmSync(dir, { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
