import { readFileSync } from 'node:fs'

export type FaultPoint = (name: string) => Promise<void>

const nothing: FaultPoint = async () => {}

/**
 * Named places where a crash would hurt. In production a fault point does nothing. A fault test starts the process
 * with a plan such as `jobs.effect:kill@3`, and the third time that point is reached the process kills (`kill`) or
 * freezes (`stop`) itself, so the crash happens exactly there. `@/path` names a file that holds the plan, or nothing yet.
 */
export function faultPointsOf(plan: string | undefined): FaultPoint {
  if (!plan) return nothing
  if (plan.startsWith('@')) return faultPointsIn(plan.slice(1))
  const faults = plan.split(',').map(parseFault)
  return async (name) => {
    for (const fault of faults) {
      if (fault.point !== name) continue
      fault.left -= 1
      if (fault.left === 0) process.kill(process.pid, fault.signal)
    }
  }
}

/** A process that is up already can be given a fault. It counts from when the plan was written. */
function faultPointsIn(file: string): FaultPoint {
  let plan = ''
  let point = nothing
  return async (name) => {
    const found = readFileSync(file, 'utf8')
    if (found !== plan) point = faultPointsOf(found)
    plan = found
    await point(name)
  }
}

interface Fault {
  readonly point: string
  readonly signal: NodeJS.Signals
  left: number
}
function parseFault(text: string): Fault {
  const match = /^([a-z][a-z0-9.-]*):(kill|stop)@([1-9]\d*)$/.exec(text.trim())
  if (!match) throw new Error(`not a fault: ${text}; write point:kill@1 or point:stop@1`)
  const [, point = '', action, count] = match
  return { point, signal: action === 'kill' ? 'SIGKILL' : 'SIGSTOP', left: Number(count) }
}
