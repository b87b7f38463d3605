import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Runs `work` while holding a lock that other processes respect. Node has no flock, so a small child
 * holds it for us: when we die in any way its input closes and the kernel frees the lock.
 */
export async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(file), { recursive: true })
  const holder = spawn('flock', ['--exclusive', file, 'sh', '-c', 'echo held; exec cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(holder, 'exit')
  const held = await Promise.race([once(holder.stdout, 'data').then(() => true), exited.then(() => false)])
  if (!held) throw new Error(`Could not lock ${file}`)
  try {
    return await work()
  } finally {
    holder.stdin.end()
    await exited
  }
}
