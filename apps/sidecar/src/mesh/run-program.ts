import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const runFile = promisify(execFile)

const env = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  // The name of the hub is asked for again by us, and nobody waits for it meanwhile.
  WG_ENDPOINT_RESOLUTION_RETRIES: '1',
}
/** They end in moments, also on a machine that has none to spare. */
const limitMs = 60_000

/** A program of the system. Secrets go through its input: others can read arguments. */
export async function runProgram(program: string, args: readonly string[], input = ''): Promise<string> {
  const running = runFile(program, args, { env, timeout: limitMs })
  // It may end without having read, and its code says why.
  running.child.stdin?.on('error', () => {}).end(input)
  const { stdout } = await running
  return stdout
}
