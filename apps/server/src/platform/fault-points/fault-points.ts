export type FaultPoint = (name: string) => Promise<void>

const nothing: FaultPoint = async () => {}

/**
 * Named places where a crash would hurt. In production a fault point does nothing. A fault test starts the process
 * with a plan such as `jobs.effect:kill@3`, and the third time that point is reached the process kills (`kill`) or
 * freezes (`stop`) itself, so the crash happens exactly there.
 */
export function faultPointsOf(plan: string | undefined): FaultPoint {
  if (!plan) return nothing
  const faults = plan.split(',').map(parseFault)
  return async (name) => {
    for (const fault of faults) {
      if (fault.point !== name) continue
      fault.left -= 1
      if (fault.left === 0) process.kill(process.pid, fault.signal)
    }
  }
}

function parseFault(text: string): { point: string; signal: NodeJS.Signals; left: number } {
  const match = /^([a-z][a-z0-9.-]*):(kill|stop)@([1-9]\d*)$/.exec(text.trim())
  if (!match) throw new Error(`not a fault: ${text}; write point:kill@1 or point:stop@1`)
  const [, point = '', action, count] = match
  return { point, signal: action === 'kill' ? 'SIGKILL' : 'SIGSTOP', left: Number(count) }
}
