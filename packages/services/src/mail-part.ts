import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, tailOf, waitUntil } from './commands.ts'
import { isRoot } from './debian-packages.ts'
import { dovecotConfig } from './dovecot-config.ts'
import type { MailFacts, ServiceFacts } from './facts.ts'
import { greets } from './greeting.ts'
import { makeDir } from './make-dir.ts'
import type { Part } from './part.ts'
import { postfixMain, postfixMaster } from './postfix-config.ts'
import { listProcesses, type ProcessMatch, readPid } from './processes.ts'

export function makeMailPart({ mail: facts }: ServiceFacts): Part {
  const match: ProcessMatch = {
    program: /^\/usr\/(lib\/(postfix|dovecot)|libexec\/dovecot|sbin\/dovecot)/,
    dirs: [facts.dir, join(facts.dir, 'spool'), join(facts.dir, 'dovecot')],
  }
  return {
    name: 'mail',
    address: `${facts.smtp.host}:${facts.smtp.port}`,
    packages: ['postfix', 'postfix-pgsql', 'dovecot-lmtpd', 'dovecot-imapd'],
    pidFiles: [facts.pid_files.postfix, facts.pid_files.dovecot],
    match,
    stopSignal: 'SIGTERM',
    dir: facts.dir,
    start: () => start(facts, match),
    isReady: () => isReady(facts),
  }
}

async function start(facts: MailFacts, match: ProcessMatch): Promise<void> {
  if (!isRoot) throw new Error('Postfix starts only as root. Run: sudo npm run services -- up mail')
  await refuseNewerDovecot()
  await writeConfig(facts)
  const isAlive = (pidFile: string): boolean => {
    const pid = readPid(pidFile)
    return listProcesses(match).some((entry) => entry.pid === pid)
  }
  const logFile = join(facts.dir, 'log', 'start.log')
  if (!isAlive(facts.pid_files.dovecot))
    await run('dovecot', ['-c', join(facts.dir, 'dovecot.conf')], { logFile })
  if (!isAlive(facts.pid_files.postfix))
    await run('postfix', ['-c', join(facts.dir, 'postfix'), 'start'], { logFile })
  if (!(await waitUntil(() => isReady(facts), 30_000)))
    throw new Error(`Mail did not start (${join(facts.dir, 'log')}):\n${tailOf(logFile)}`)
}

async function refuseNewerDovecot(): Promise<void> {
  const version = (await run('dovecot', ['--version'])).trim()
  if (!version.startsWith('2.3.'))
    throw new Error(`Dovecot ${version} reads another config language; the mail part knows 2.3 (Debian 12)`)
}

async function writeConfig(facts: MailFacts): Promise<void> {
  makeDir(facts.dir)
  for (const name of ['postfix', 'spool', 'data', 'dovecot', 'home', 'log'])
    mkdirSync(join(facts.dir, name), { recursive: true })
  writeFileSync(join(facts.dir, 'postfix', 'main.cf'), postfixMain(facts))
  writeFileSync(join(facts.dir, 'postfix', 'master.cf'), postfixMaster(facts.smtp))
  writeFileSync(join(facts.dir, 'dovecot.conf'), dovecotConfig(facts))
  await run('chown', ['postfix:', join(facts.dir, 'data')])
  await run('chown', ['mail:mail', facts.maildir_root])
}

async function isReady({ smtp, lmtp, imap }: MailFacts): Promise<boolean> {
  const greetings = await Promise.all([greets(smtp, '220'), greets(lmtp, '220'), greets(imap, '* OK')])
  return greetings.every(Boolean)
}
