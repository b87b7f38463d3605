import { randomUUIDv7 } from 'node:crypto'
import type { Beat } from '@crewhall/contracts/fleet/desk-agent.ts'
import {
  type CommandResult,
  commandMinutes,
  type SidecarBundle,
} from '@crewhall/contracts/fleet/desk-protocol.ts'
import { machineShared } from '@crewhall/contracts/fleet/refusals.ts'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import { type CommandRow, insertCommand } from '../commands/commands.store.ts'
import * as store from './carrying-out.store.ts'
import { nextOf, stoppedError } from './rollout.rules.ts'
import type { MachineRow } from './updates.store.ts'

/** Makes a command of an update that waits, if it is the turn of this machine. */
export async function beginUpdate(
  ctx: BrandTx,
  machine: MachineRow,
  { version, digest }: Beat,
  bundle: SidecarBundle,
): Promise<void> {
  const waiting = await store.findWaitingUpdate(ctx, machine.id)
  // One that was suspended after the request goes on waiting.
  if (!waiting || machine.state === 'suspended') return
  const end = (error: string | null) => finish(ctx, machine, { id: waiting.id, error, version })
  // A second workspace has joined from this machine meanwhile (UPD-18).
  if (machine.shares_machine) return end(machineShared.text)
  // It runs what it would be told to install.
  if (digest === bundle.sha256) return end(null)
  if (waiting.rollout_id !== null && !(await hasTurn(ctx, waiting.rollout_id))) return
  const id = randomUUIDv7()
  const facts = JSON.stringify({ bundle })
  await insertCommand(ctx, { id, desk_id: machine.id, kind: 'update', facts, minutes: commandMinutes })
  await store.updateCommand(ctx, { id: waiting.id, command_id: id, version })
}

async function hasTurn(ctx: BrandTx, rollout_id: string): Promise<boolean> {
  const rollout = await store.lockRollout(ctx, rollout_id)
  const next = rollout ? nextOf(rollout) : 'wait'
  if (rollout && next === 'stop') await store.updateStopped(ctx, rollout_id, stoppedError(rollout))
  return next === 'begin'
}

/** UPD-G8: no build runs on the machine, and none begins. */
export async function noteRunning(ctx: BrandTx, desk_id: string, command_id: string): Promise<void> {
  await store.updateRunning(ctx, desk_id, command_id)
}

export async function endUpdate(
  ctx: BrandTx,
  machine: MachineRow,
  { version, digest }: Beat,
  { id, facts }: CommandRow,
  { outcome, error }: Pick<CommandResult, 'outcome' | 'error'>,
): Promise<void> {
  const { sha256 } = facts.bundle as SidecarBundle
  const fault = outcome === 'done' ? faultOf(digest === sha256) : (error ?? '').slice(0, 300) || noReason
  await finish(ctx, machine, { id, error: fault, version })
}

/** What it runs by now, nobody knows. */
export const loseUpdate = (ctx: BrandTx, machine: MachineRow, command_id: string): Promise<void> =>
  finish(ctx, machine, { id: command_id, error: lostError, version: null })

const lostError = 'The machine has not said what became of the update within 4 hours'

const noReason = 'The machine gave no reason'
const faultOf = (runsIt: boolean): string | null =>
  runsIt ? null : 'The machine says that it is done, and runs another sidecar'

/** Those that a stopped rollout keeps from beginning are not told one by one. */
async function finish(
  ctx: BrandTx,
  { id: desk_id, state }: MachineRow,
  ended: Omit<store.End, 'desk_id'>,
): Promise<void> {
  const row = await store.updateEnded(ctx, { desk_id, ...ended })
  if (!row) return
  const action = ended.error === null ? 'desk.updated' : 'desk.update_failed'
  await ctx.emit({ type: action, subject_id: desk_id, data: { workstation_id: desk_id, status: state } })
  await ctx.audit({
    action,
    target: `desk:${desk_id}`,
    from: { version: row.from_version },
    to: { version: ended.version },
  })
}
