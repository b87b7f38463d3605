import type { Part } from './part.ts'
import { listProcesses, readPid } from './processes.ts'

export interface PartState {
  /** `frozen`: stopped by SIGSTOP. `broken`: some of the daemons of the part are missing. */
  kind: 'running' | 'frozen' | 'broken' | 'stopped'
  /** The main process of each daemon. */
  pids: number[]
}

export function readPartState(part: Part): PartState {
  const entries = listProcesses(part.match)
  const mains = part.pidFiles.map(readPid)
  const alive = entries.filter(({ pid }) => mains.includes(pid))
  const pids = alive.map(({ pid }) => pid)
  if (alive.length === 0) return { kind: 'stopped', pids }
  if (alive.length < mains.length) return { kind: 'broken', pids }
  return { kind: alive.some(({ frozen }) => frozen) ? 'frozen' : 'running', pids }
}
