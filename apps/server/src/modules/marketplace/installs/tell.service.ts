import type { WorkspaceEventType } from '@crewhall/contracts/events.ts'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import { auditedInstall, stateOf } from './installs.present.ts'
import type { InstallRow } from './installs.store.ts'

export type InstallEvent = WorkspaceEventType & `install.${string}`

/** An install as it was or is, with the agents that it is granted to by name. */
export interface Told {
  readonly row: InstallRow
  readonly agent_ids: readonly string[]
}

/**
 * Every change of an install, its grants and its references ends here, last in its transaction: the event is also what
 * pushes grants out of all processes after the commit.
 */
export async function tellOfInstall(
  ctx: BrandTx,
  type: InstallEvent,
  from: Told | undefined,
  to: Told | undefined,
): Promise<void> {
  const row = to?.row ?? from?.row
  if (!row) throw new Error('an event is about an install')
  const data = { install_id: row.id, state: stateOf(row), enabled: to !== undefined && row.is_enabled }
  await ctx.emit({ type, subject_id: row.id, data })
  await ctx.audit({
    action: type,
    target: `install:${row.id}`,
    from: from ? auditedInstall(from.row, from.agent_ids) : null,
    to: to ? auditedInstall(to.row, to.agent_ids) : null,
  })
}
