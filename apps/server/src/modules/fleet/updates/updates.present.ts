import type { MachineUpdate, RequestItem, UpdateRequest } from '@crewhall/contracts/fleet/updates.ts'
import type { Refusal } from '@crewhall/contracts/refusal.ts'
import type { MachineRow, UpdateRow } from './updates.store.ts'

type Names = ReadonlyMap<number, string>

export const namesOf = (people: readonly { id: number; full_name: string }[]): Names =>
  new Map(people.map(({ id, full_name }) => [id, full_name]))

/** Nobody else is known of a person whose account is gone. */
const requester = (user_id: number, names: Names) => ({ user_id, name: names.get(user_id) ?? '' })

export const presentRequest = (machine: MachineRow, row: UpdateRow, names: Names): UpdateRequest => ({
  id: row.id,
  machine_id: machine.id,
  machine_name: machine.name,
  status: 'queued',
  error: null,
  requested_by: requester(row.requested_by, names),
  requested_at: row.requested_at,
  wait_for_idle: true,
})

export const presentItem = ({ id, name }: MachineRow, refusal: Refusal | undefined): RequestItem => ({
  machine_id: id,
  machine_name: name,
  status: refusal ? 'failed' : 'queued',
  error: refusal ? String(refusal.detail) : null,
})

export const presentUpdate = (row: UpdateRow, names: Names): MachineUpdate => ({
  id: row.id,
  state: row.state,
  error: row.error,
  requested_by: requester(row.requested_by, names),
  requested_at: row.requested_at,
  started_at: row.started_at,
  ended_at: row.ended_at,
  from_version: row.from_version,
  to_version: row.to_version,
})
