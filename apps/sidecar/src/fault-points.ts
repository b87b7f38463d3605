import { readFileSync } from 'node:fs'
import { faultPlanOf } from '@crewhall/contracts/fault-plan.ts'

export type FaultPoint = (name: string) => void

/** Places where a crash would hurt. On a desk they do nothing; a test lets the process die or freeze exactly there. */
export function faultPointsOf(plan: string | undefined): FaultPoint {
  if (!plan) return () => {}
  const faultAt = faultPlanOf(plan, (path) => readFileSync(path, 'utf8'))
  return (name) => {
    const fault = faultAt(name)
    if (fault) process.kill(process.pid, fault)
  }
}
