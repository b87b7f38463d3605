import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const runFile = promisify(execFile)

/** A dump of 16,384 peers has some 3 MB. */
const maxBytes = 64 * 1024 * 1024
const limitMs = 15_000

export type RunCommand = (
  program: string,
  args: readonly string[],
  options?: { readonly input?: string; readonly limit_ms?: number },
) => Promise<string>

/** A program of the system, which gets nothing of our environment. */
export const runCommand: RunCommand = async (program, args, { input, limit_ms = limitMs } = {}) => {
  const running = runFile(program, args, {
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
    maxBuffer: maxBytes,
    timeout: limit_ms,
  })
  // It may end without having read, and its code says why.
  running.child.stdin?.on('error', () => {}).end(input)
  const { stdout } = await running
  return stdout
}
