import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { BuildLeases } from './leases.ts'

/** As in sysexits.h: try again later. */
const barredCode = 75

/** Runs a command as a build: the desk counts as busy until it ends, and no update begins meanwhile. */
export async function runBuild(stateFolder: string, command: readonly string[]): Promise<number> {
  const [program, ...args] = command
  if (program === undefined) throw new Error('build: name the command to run')
  const leases = new BuildLeases(stateFolder)
  await leases.open()
  const lease = await leases.take(process.pid)
  if (lease === undefined) {
    console.error('an update of the sidecar waits: try again in a few minutes')
    return barredCode
  }
  try {
    const child = spawn(program, args, { stdio: 'inherit' })
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
    const ended = once(child, 'close')
    if (child.pid !== undefined) await leases.extend(lease, [process.pid, child.pid])
    const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null]
    return code ?? 128 + (signal ? constants.signals[signal] : 0)
  } finally {
    await leases.drop(lease)
  }
}
