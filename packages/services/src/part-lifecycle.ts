import { rmSync } from 'node:fs'
import { waitUntil } from './commands.ts'
import type { Part } from './part.ts'
import { readPartState } from './part-state.ts'
import { listProcesses, readPid, sendSignal, signalAll } from './processes.ts'

const stopLimit_ms = 60_000

/** Both ways return a word for the output. */
export async function startPart(part: Part): Promise<string> {
  const { kind } = readPartState(part)
  if (kind === 'frozen') await signalAll(part.match, 'SIGCONT')
  if (kind === 'running' && (await part.isReady())) return 'was up'
  forgetDeadDaemons(part)
  await part.start()
  return 'up'
}

/** The pid in a file left by a killed daemon may belong to a stranger or a zombie, at which daemons balk. */
function forgetDeadDaemons(part: Part): void {
  const alive = listProcesses(part.match).map(({ pid }) => pid)
  for (const file of part.pidFiles) {
    const pid = readPid(file)
    if (pid !== undefined && !alive.includes(pid)) rmSync(file)
  }
}

export async function stopPart(part: Part): Promise<string> {
  const isAlive = (pid: number): boolean => listProcesses(part.match).some((entry) => entry.pid === pid)
  // A frozen process keeps a signal to itself until it is thawed.
  await signalAll(part.match, 'SIGCONT')
  for (const file of part.pidFiles) {
    const pid = readPid(file)
    if (pid === undefined || !isAlive(pid)) continue
    sendSignal(pid, part.stopSignal)
    await waitUntil(() => !isAlive(pid), stopLimit_ms)
  }
  // Children end shortly after their parent; the orphans of a killed one may not end at all.
  const isGone = await waitUntil(() => listProcesses(part.match).length === 0, 2_000)
  if (!isGone) await signalAll(part.match, 'SIGKILL')
  return 'stopped'
}

export async function erasePart(part: Part): Promise<void> {
  await stopPart(part)
  rmSync(part.dir, { recursive: true, force: true })
}
