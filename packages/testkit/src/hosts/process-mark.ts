import { readFileSync } from 'node:fs'
import { testRun } from '../templates.ts'

/** A process that no later one with the same id is taken for. */
export interface ProcessMark {
  readonly pid: number
  /** In ticks since the machine was started. */
  readonly started: string
}

export function markOf(pid: number): ProcessMark | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name stands in parentheses and may hold anything.
    const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' ? undefined : { pid, started: rest[18] ?? '' }
  } catch {
    return undefined
  }
}

export const isRunning = ({ pid, started }: ProcessMark): boolean => markOf(pid)?.started === started

export function killMarked(mark: ProcessMark): void {
  if (isRunning(mark)) process.kill(mark.pid, 'SIGKILL')
}

/** The process itself, its children, theirs and so on. */
export function descendantsOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    return [pid, ...children.split(' ').filter(Boolean).map(Number).flatMap(descendantsOf)]
  } catch {
    return []
  }
}

/** Whether it is the first process of a process namespace below ours. */
export function isInit(pid: number): boolean {
  try {
    const ids = /^NSpid:\s+(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]?.split(/\s+/) ?? []
    return ids.length > 1 && ids.at(-1) === '1'
  } catch {
    return false
  }
}

/** The run of tests that this process works for. */
export function ownerOfRun(): ProcessMark {
  const owner = markOf(Number(testRun()))
  if (!owner) throw new Error('the run of these tests has ended')
  return owner
}
