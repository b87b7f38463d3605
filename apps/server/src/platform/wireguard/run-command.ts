import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const runFile = promisify(execFile)

/** A dump of 16,384 peers has some 3 MB. */
const maxBytes = 64 * 1024 * 1024
const limitMs = 15_000

/** A program of the system, which gets nothing of our environment. */
export async function runCommand(
  program: string,
  args: readonly string[],
  { input, limit_ms = limitMs }: { readonly input?: string; readonly limit_ms?: number } = {},
): Promise<string> {
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
