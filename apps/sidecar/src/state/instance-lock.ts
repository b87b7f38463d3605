import { spawnSync } from 'node:child_process'
import { closeSync, fsyncSync, openSync } from 'node:fs'
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
  if (isLocked(file)) return { release: () => closeSync(file) }
  closeSync(file)
  throw new AlreadyRunning(folder)
}

/** A directory whose files others write as well. Only programs of ours take this lock. */
export function lockDirectory(folder: string): { release(): void; sync(): void } | 'busy' | 'no_directory' {
  let directory: number
  try {
    directory = openSync(folder, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'no_directory'
    throw error
  }
  if (isLocked(directory)) return { release: () => closeSync(directory), sync: () => fsyncSync(directory) }
  closeSync(directory)
  return 'busy'
}

function isLocked(file: number): boolean {
  const { status, error } = spawnSync('flock', ['--nonblock', '--exclusive', '3'], {
    stdio: ['ignore', 'ignore', 'ignore', file],
  })
  if (error) {
    closeSync(file)
    throw error
  }
  return status === 0
}
