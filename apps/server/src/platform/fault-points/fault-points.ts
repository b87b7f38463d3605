import { readFileSync } from 'node:fs'
import { faultPlanOf } from '@crewhall/contracts/fault-plan.ts'

export type FaultPoint = (name: string) => Promise<void>

/**
 * Named places where a crash would hurt. In production a fault point does nothing. A fault test starts the process with a
 * plan, so the crash happens exactly there.
 */
export function faultPointsOf(plan: string | undefined): FaultPoint {
  if (!plan) return async () => {}
  const faultAt = faultPlanOf(plan, (path) => readFileSync(path, 'utf8'))
  return async (name) => {
    const fault = faultAt(name)
    if (fault) process.kill(process.pid, fault)
  }
}
