import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { updateSharedMachine, updateUnshared } from './shared-machines.store.ts'

/** UPD-18: looks again which workspaces have desks on the machine of this one, after it has joined or was released. */
export async function noteSharedMachine(ctx: SystemCtx, desk_id: string): Promise<void> {
  await updateSharedMachine(ctx, desk_id)
}

export const sharedMachinesSweep = {
  table: 'fleet.desks',
  bite: (ctx: SystemCtx, limit: number) => updateUnshared(ctx, limit),
}
