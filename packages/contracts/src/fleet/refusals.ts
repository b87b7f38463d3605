import { refusal, refusalOf } from '../refusal.ts'

export const deskNotFound = refusal(404, 'Workstation not found')
/** DESK-23, DESK-G5. */
export const deskLimitReached = refusalOf(
  403,
  'An object: `limit_type` is `workstations`, `current` how many desks count towards the plan, `upgrade_url` where to change the plan',
  (current: number, upgrade_url: string) => ({ limit_type: 'workstations', current, upgrade_url }),
)
export const unknownCursor = refusal(422, 'cursor: must be a next_cursor of this list')
/** ENV-G4: never a reason, which would tell what is reachable from here. */
export const sidecarUrlRefused = refusal(
  422,
  'sidecar_url: must be an http or https address in a network of desks, without credentials, query and fragment',
)
/** UPD-18, UPD-G4. */
export const machineShared = refusal(
  409,
  'This machine shares its sidecar installation with another brand and remains operator-managed',
)
/** UPD-G6. */
export const machineSuspended = refusal(409, 'This machine is suspended; resume it first')
export const tooManyMachines = refusal(
  409,
  'The workspace has more than 2,000 machines; request updates one by one',
)

/** The token lets one machine join, and another was first. */
export const joinedByAnother = refusal(
  409,
  'Another machine has joined with this token; call regenerate-pat and run the new command',
)
/** Another desk has this key, or nobody can have it. */
export const meshKeyRefused = refusal(409, 'wg_pub: this key cannot be used; make another one')
/** The same of a beat, where 409 would say that the desk is quarantined. */
export const nextKeyRefused = refusal(422, 'wg_pub: this key cannot be used; make another one')
export const meshFull = refusal(
  409,
  'The private network has no room for another desk; ask whoever runs this installation',
)
/** The token is of another desk than the body says. */
export const otherDesk = refusal(422, 'env_id: must be the desk of the token')
export const clockOff = refusal(401, 'The clock of this machine is off by more than 5 minutes')
export const sequenceUsed = refusal(401, 'This sequence was used before')
export const deskQuarantined = refusal(
  409,
  'Two machines use the key of this desk; call regenerate-pat and run the new command on one of them',
)
export const logsNotAsked = refusal(409, 'Nobody waits for the logs of this desk')
export const deskReleased = refusal(410, 'This desk was released')
