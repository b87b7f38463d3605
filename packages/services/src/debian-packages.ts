import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheDir } from './cache-dir.ts'
import { attempt, type Outcome, tailOf } from './commands.ts'
import { withLock } from './file-lock.ts'
import { preparing } from './preparation.ts'

export const isRoot = process.getuid?.() === 0

const noninteractive = { DEBIAN_FRONTEND: 'noninteractive' }
const policyFile = '/usr/sbin/policy-rc.d'

/** Installs missing packages together; without root, prints the command. */
export async function ensurePackages(names: string[], logFile: string): Promise<void> {
  if ((await listMissing(names)).length === 0) return
  if (!isRoot) {
    const missing = await listMissing(names)
    throw new Error(
      `Packages are missing. Run: sudo apt-get install --no-install-recommends ${missing.join(' ')}`,
    )
  }
  await withLock(join(cacheDir, 'apt.lock'), async () => {
    const missing = await listMissing(names)
    if (missing.length === 0) return
    console.log(`installing ${missing.join(' ')}`)
    await preparing(() => withoutServiceStarts(() => install(missing, logFile)))
  })
}

async function listMissing(names: string[]): Promise<string[]> {
  if (names.length === 0) return []
  const format = '$' + '{Package} $' + '{db:Status-Status}\n'
  const { output } = await attempt('dpkg-query', ['--show', `--showformat=${format}`, ...names])
  const lines = output.split('\n')
  return names.filter((name) => !lines.includes(`${name} installed`))
}

async function install(names: string[], logFile: string): Promise<void> {
  if (names.includes('postfix')) {
    // Without this answer Debian would set up a mail server for the whole machine; ours has its own folder.
    const input = 'postfix postfix/main_mailer_type select No configuration\n'
    await attempt('debconf-set-selections', [], { input, logFile })
  }
  // The package lists of a new machine may be missing, or so old that they know nothing of security updates: then the
  // browser would be another one. One unreachable source among several is no reason to give up, so the installation decides.
  await attempt('apt-get', ['update'], { env: noninteractive, logFile })
  const { code } = await aptInstall(names, logFile)
  if (code !== 0)
    throw new Error(`apt-get could not install ${names.join(' ')} (${logFile}):\n${tailOf(logFile)}`)
}

function aptInstall(names: string[], logFile: string): Promise<Outcome> {
  // --no-remove: postfix would otherwise silently replace another mail server of the machine.
  const options = ['--yes', '--no-install-recommends', '--no-remove', '-o', 'DPkg::Lock::Timeout=300']
  return attempt('apt-get', ['install', ...options, ...names], { env: noninteractive, logFile })
}

/** Debian starts a service as soon as it is installed, on its stock port, unless this file says no. */
async function withoutServiceStarts(work: () => Promise<void>): Promise<void> {
  if (existsSync(policyFile)) return work()
  writeFileSync(policyFile, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    await work()
  } finally {
    rmSync(policyFile)
  }
}
