export type Step = (name: string) => Promise<void>

const nothing: Step = async () => {}

/**
 * Named steps are places where a crash would hurt. In production a step does nothing. A fault test starts
 * the process with a plan such as `jobs.effect:kill@3`, and the third time that step is reached the
 * process kills (`kill`) or freezes (`stop`) itself, so the crash happens exactly there.
 */
export function stepsOf(plan: string | undefined): Step {
  if (!plan) return nothing
  const faults = plan.split(',').map(parseFault)
  return async (name) => {
    for (const fault of faults) {
      if (fault.step !== name) continue
      fault.left -= 1
      if (fault.left === 0) process.kill(process.pid, fault.signal)
    }
  }
}

function parseFault(text: string): { step: string; signal: NodeJS.Signals; left: number } {
  const match = /^([a-z][a-z0-9.-]*):(kill|stop)@([1-9]\d*)$/.exec(text.trim())
  if (!match) throw new Error(`not a fault: ${text}; write step:kill@1 or step:stop@1`)
  const [, step = '', action, count] = match
  return { step, signal: action === 'kill' ? 'SIGKILL' : 'SIGSTOP', left: Number(count) }
}
