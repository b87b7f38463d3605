import type { DeskState } from '@crewhall/contracts/fleet/desk.ts'
import { machineShared, machineSuspended } from '@crewhall/contracts/fleet/refusals.ts'
import type { Refusal } from '@crewhall/contracts/refusal.ts'

interface Machine {
  readonly state: DeskState
  readonly shares_machine: boolean
}

/** UPD-18, UPD-G6: machines that cannot be requested. A dormant or unreachable one is updated when it reports again. */
export function refusalOf({ state, shares_machine }: Machine): Refusal | undefined {
  if (shares_machine) return machineShared()
  return state === 'suspended' ? machineSuspended() : undefined
}
