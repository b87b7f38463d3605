/** What a process does to itself at a named point. */
type Fault = 'SIGKILL' | 'SIGSTOP'

/** The fault that is due when a point is reached. */
type FaultPlan = (point: string) => Fault | undefined

/**
 * Crashes on demand, for tests. With `jobs.effect:kill@3` the third time that point is reached the process kills (`kill`) or
 * freezes (`stop`) itself. `@/path` names a file that holds the plan, or nothing yet: a process that is up already can be
 * given a fault, and counts from when the plan was written.
 */
export const faultPlanOf = (plan: string, read: (path: string) => string): FaultPlan =>
  plan.startsWith('@') ? planIn(() => read(plan.slice(1))) : fixedPlan(plan)

function planIn(read: () => string): FaultPlan {
  let text = ''
  let plan: FaultPlan = () => undefined
  return (point) => {
    const found = read()
    if (found !== text) plan = found === '' ? () => undefined : fixedPlan(found)
    text = found
    return plan(point)
  }
}

function fixedPlan(plan: string): FaultPlan {
  const faults = plan.split(',').map(parseFault)
  return (point) => {
    const here = faults.filter((fault) => fault.point === point)
    for (const fault of here) fault.left -= 1
    return here.find(({ left }) => left === 0)?.signal
  }
}

interface CountedFault {
  readonly point: string
  readonly signal: Fault
  left: number
}
function parseFault(text: string): CountedFault {
  const match = /^([a-z][a-z0-9.-]*):(kill|stop)@([1-9]\d*)$/.exec(text.trim())
  if (!match) throw new Error(`not a fault: ${text}; write point:kill@1 or point:stop@1`)
  const [, point = '', action, count] = match
  return { point, signal: action === 'kill' ? 'SIGKILL' : 'SIGSTOP', left: Number(count) }
}
