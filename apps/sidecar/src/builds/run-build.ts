import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { agentEnv } from '../hire/hire-files.ts'
import { inheritedEnv, type Settings } from '../settings.ts'
import { buildEnv } from './build-settings.ts'
import { BuildLeases } from './leases.ts'

/** As in sysexits.h: try again later. */
const barredCode = 75

/** As a shell tells that a signal has ended a command. */
const codeOf = (signal: NodeJS.Signals): number => 128 + constants.signals[signal]

/** Runs a command as a build: the desk counts as busy until it ends, and no update begins meanwhile. */
export async function runBuild(
  { state_dir: stateFolder, workspaces_dir }: Pick<Settings, 'state_dir' | 'workspaces_dir'>,
  command: readonly string[],
): Promise<number> {
  const [program, ...args] = command
  if (program === undefined) throw new Error('build: name the command to run')
  // Heard from the start: a signal must not leave the lease behind.
  const signals = hearSignals()
  const leases = new BuildLeases(stateFolder)
  await leases.open()
  const lease = await leases.take(process.pid)
  if (lease === undefined) {
    console.error('an update of the sidecar waits: try again in a few minutes')
    return barredCode
  }
  try {
    const agent = await agentEnv(stateFolder, workspaces_dir)
    const env = { ...inheritedEnv(), ...(await buildEnv(stateFolder)), ...agent }
    // A turn of the event loop tells of signals last: of one that came together with what was read, only after it.
    await setImmediate()
    // Nothing is awaited between this look and the spawn: a signal is either seen here or passed to the child.
    if (signals.first) return codeOf(signals.first)
    const child = spawn(program, args, { stdio: 'inherit', env })
    signals.passTo(child)
    const ended = once(child, 'close')
    if (child.pid !== undefined) await leases.extend(lease, [process.pid, child.pid])
    const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null]
    return code ?? (signal ? codeOf(signal) : 1)
  } finally {
    await leases.drop(lease)
  }
}

function hearSignals() {
  let first: NodeJS.Signals | undefined
  let child: ChildProcess | undefined
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      first ??= signal
      child?.kill(signal)
    })
  return {
    get first() {
      return first
    },
    passTo(started: ChildProcess) {
      child = started
    },
  }
}
