import type { HireStatus } from '@crewhall/contracts/hires/hires.ts'

interface HireFacts {
  readonly status: HireStatus
  readonly effective_at: string | null
  readonly ended_at: string | null
}

/** Whether the employee works: it was built, and its end has not come. The sweep may be late. */
export function isWorking({ status, effective_at, ended_at }: HireFacts, now: Date): boolean {
  if (status === 'active') return true
  return (
    status === 'canceled' &&
    ended_at === null &&
    effective_at !== null &&
    Date.parse(effective_at) > now.getTime()
  )
}
