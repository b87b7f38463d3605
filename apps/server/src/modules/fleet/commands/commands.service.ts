import type { Beat } from '@crewhall/contracts/fleet/desk-agent.ts'
import {
  type CommandResult,
  type DeskCommand,
  maxCommands,
  type SidecarBundle,
  type SignedCommand,
} from '@crewhall/contracts/fleet/desk-protocol.ts'
import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { beginLogs, endLogs } from '../logs/logs.service.ts'
import { beginRotation } from '../mesh/peers.service.ts'
import { beginUpdate, endUpdate, loseUpdate, noteRunning } from '../updates/carrying-out.service.ts'
import { lockMachine, type MachineRow } from '../updates/updates.store.ts'
import type { CommandKeys } from './command-keys.ts'
import * as store from './commands.store.ts'

export interface CommandDeps {
  readonly command_keys: CommandKeys
  /** What updates install now; undefined while the operator has put nothing there. */
  findBundle(): Promise<SidecarBundle | undefined>
}

/** Takes what became of earlier commands, and returns those that the desk is to carry out. */
export async function exchangeCommands(
  ctx: BrandCtx,
  { command_keys, findBundle }: CommandDeps,
  desk_id: string,
  beat: Beat,
): Promise<SignedCommand[]> {
  const bundle = await findBundle()
  const rows = await ctx.tx(async (ctx) => {
    // Requests and releases take it too, and so does the next beat of this desk.
    const machine = await lockMachine(ctx, desk_id)
    if (!machine) return []
    for (const result of beat.results) await noteResult(ctx, machine, beat, result)
    await store.updateExpired(ctx, desk_id)
    if (bundle) await beginUpdate(ctx, machine, beat, bundle)
    await beginLogs(ctx, machine)
    await beginRotation(ctx, desk_id)
    return store.listUnsent(ctx, desk_id, maxCommands)
  })
  return rows.map(({ facts, ...row }) => {
    const command = { ...row, ...facts, desk_id } as DeskCommand
    return command_keys.sign(JSON.stringify(command), beat.command_key)
  })
}

/** One that ended before, or is of another desk, changes nothing. */
async function noteResult(
  ctx: BrandTx,
  machine: MachineRow,
  beat: Beat,
  result: CommandResult,
): Promise<void> {
  const { id, outcome, error } = result
  const desk_id = machine.id
  const command = await store.findOpenCommand(ctx, desk_id, id)
  if (!command) return
  if (outcome === 'accepted' || outcome === 'running') {
    await store.updateAccepted(ctx, id)
    if (outcome === 'running' && command.kind === 'update') await noteRunning(ctx, desk_id, id)
    return
  }
  await store.updateEnded(ctx, { id, outcome, error })
  if (command.kind === 'update') await endUpdate(ctx, machine, beat, command, { outcome, error })
  if (command.kind === 'collect_logs') await endLogs(ctx, desk_id, result)
}

/** Longer than a desk waits for its builds, with what an update takes. */
const lostHours = 4
const keptDays = 30

/** Of one that began and was never heard of again. */
async function endLost(ctx: BrandTx, desk_id: string, id: string): Promise<void> {
  const machine = await lockMachine(ctx, desk_id)
  const command = machine && (await store.findOpenCommand(ctx, desk_id, id))
  if (!command) return
  await store.updateEnded(ctx, { id, outcome: 'lost', error: null })
  if (command.kind === 'update') await loseUpdate(ctx, machine, id)
}

export const lostCommandsSweep = {
  table: 'fleet.desk_commands',
  async bite(ctx: SystemCtx, limit: number): Promise<number> {
    const lost = await store.listLost(ctx, limit, lostHours)
    for (const { brand_id, id, desk_id } of lost)
      await ctx.forBrand(brand_id).tx((ctx) => endLost(ctx, desk_id, id))
    return lost.length
  },
}
export const oldCommandsSweep = {
  table: 'fleet.desk_commands',
  bite: (ctx: SystemCtx, limit: number) => store.deleteOldCommands(ctx, limit, keptDays),
}
