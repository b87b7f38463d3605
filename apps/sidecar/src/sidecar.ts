import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { BuildLeases } from './builds/leases.ts'
import type { Log } from './log.ts'
import type { OwnCode } from './own-code.ts'
import type { Settings } from './settings.ts'
import { openIdentityKey } from './state/identity-key.ts'
import { lockFolder } from './state/instance-lock.ts'

/** Runs until SIGTERM. Returns the exit code. */
export async function runSidecar(settings: Settings, code: OwnCode, log: Log): Promise<number> {
  await mkdir(settings.state_dir, { recursive: true, mode: 0o700 })
  const lock = lockFolder(settings.state_dir)
  try {
    const key = await openIdentityKey(settings.state_dir)
    await new BuildLeases(settings.state_dir).open()
    log.info('ready', { env_id: settings.env_id, key: key.public_key, ...code })
    await stopSignal()
    log.info('stopped')
    return 0
  } finally {
    lock.release()
  }
}

async function stopSignal(): Promise<void> {
  // Listeners alone keep no process alive.
  const alive = setInterval(() => undefined, 60_000)
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])
  clearInterval(alive)
}
