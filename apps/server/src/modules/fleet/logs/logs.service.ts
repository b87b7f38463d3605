import { randomUUIDv7 } from 'node:crypto'
import { type CommandResult, commandMinutes } from '@crewhall/contracts/fleet/desk-protocol.ts'
import { keptLogHours, type MachineLogs, maxLogBytes } from '@crewhall/contracts/fleet/logs.ts'
import { logsNotAsked, machineShared } from '@crewhall/contracts/fleet/refusals.ts'
import { redactLog } from '@crewhall/contracts/redaction/redact-log.ts'
import { notFound } from '@crewhall/contracts/refusal.ts'
import { listPeople } from '#modules/identity'
import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { insertCommand } from '../commands/commands.store.ts'
import { deskOf } from '../protocol/registration.service.ts'
import { findMachine, lockMachine, type MachineRow } from '../updates/updates.store.ts'
import { presentLogs, statusOf } from './logs.present.ts'
import * as store from './logs.store.ts'

/** The log of a shared machine may speak of the other workspace. */
export const requestLogs = (ctx: BrandCtx, machine_id: string): Promise<MachineLogs> =>
  ctx.tx(async (ctx) => {
    const machine = await lockMachine(ctx, machine_id)
    if (!machine) throw notFound()
    if (machine.shares_machine) throw machineShared()
    const known = await store.findLog(ctx, machine_id)
    if (known && statusOf(known) === 'waiting') return present(ctx, machine_id, known)
    const { actor } = ctx
    if (actor.kind !== 'person') throw new Error('the contract lets people in only')
    const row = await store.upsertRequest(ctx, {
      desk_id: machine_id,
      requested_by: actor.person_id,
      hours: keptLogHours,
    })
    await audit(ctx, 'desk.logs_requested', machine_id)
    return present(ctx, machine_id, row)
  })

export async function getLogs(ctx: BrandCtx, machine_id: string): Promise<MachineLogs> {
  if (!(await findMachine(ctx, machine_id))) throw notFound()
  return present(ctx, machine_id, await store.findLog(ctx, machine_id))
}

/** Cut here again: what stands on a desk may be older than the shapes that are known by now. */
export async function receiveLogs(ctx: BrandCtx, text: string): Promise<void> {
  const { desk_id } = deskOf(ctx)
  const content = redactLog(text).slice(-maxLogBytes)
  await ctx.tx(async (ctx) => {
    const machine = await lockMachine(ctx, desk_id)
    const row = await store.findLog(ctx, desk_id)
    // Nobody gets the log of a machine that a second workspace has joined from since it was asked for.
    const isWanted = row && row.command_id !== null && statusOf(row) === 'waiting'
    if (!isWanted || machine?.shares_machine !== false) throw logsNotAsked()
    await store.updateReceived(ctx, desk_id, content, keptLogHours)
    await audit(ctx, 'desk.logs_received', desk_id)
  })
}

/** Makes a command of a request that waits. */
export async function beginLogs(ctx: BrandTx, { id: desk_id, shares_machine }: MachineRow): Promise<void> {
  if (!(await store.findUnasked(ctx, desk_id))) return
  // A second workspace has joined from this machine meanwhile.
  if (shares_machine)
    return void (await store.updateFailed(ctx, { desk_id, command_id: null, error: machineShared.text }))
  const id = randomUUIDv7()
  await insertCommand(ctx, { id, desk_id, kind: 'collect_logs', facts: '{}', minutes: commandMinutes })
  await store.updateAsked(ctx, desk_id, id)
}

/** What was received stays, whatever the desk says afterwards. */
export async function endLogs(
  ctx: BrandTx,
  desk_id: string,
  { id, outcome, error }: CommandResult,
): Promise<void> {
  const reason = outcome === 'done' ? sentNothing : (error ?? '') || noReason
  await store.updateFailed(ctx, { desk_id, command_id: id, error: reason })
}

const sentNothing = 'The machine says that it is done, and has sent nothing'
const noReason = 'The machine gave no reason'

async function present(
  ctx: BrandCtx,
  machine_id: string,
  row: store.LogRow | undefined,
): Promise<MachineLogs> {
  const [person] = row ? await listPeople(ctx, [row.requested_by]) : []
  return presentLogs(machine_id, row, person?.full_name)
}

const audit = (ctx: BrandTx, action: 'desk.logs_requested' | 'desk.logs_received', desk_id: string) =>
  ctx.audit({ action, target: `desk:${desk_id}`, from: null, to: null })

export const expiredLogsSweep = {
  table: 'fleet.desk_logs',
  bite: (ctx: SystemCtx, limit: number) => store.deleteExpired(ctx, limit),
}
