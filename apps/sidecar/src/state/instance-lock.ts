import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'

export class AlreadyRunning extends Error {
  constructor(folder: string) {
    super(`another sidecar runs on ${folder}`)
    this.name = 'AlreadyRunning'
  }
}

/**
 * One sidecar for each state directory. The lock belongs to the open file, so the kernel lets it go with the process,
 * however that ends; Node has no call for it, and `flock` of util-linux locks a file that it is handed.
 */
export function lockFolder(folder: string): { release(): void } {
  const file = openSync(join(folder, 'lock'), 'a', 0o600)
  const { status, error } = spawnSync('flock', ['--nonblock', '--exclusive', '3'], {
    stdio: ['ignore', 'ignore', 'ignore', file],
  })
  if (status === 0) return { release: () => closeSync(file) }
  closeSync(file)
  throw error ?? new AlreadyRunning(folder)
}
