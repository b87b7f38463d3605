import type { Runtime } from '@crewhall/contracts/fleet/desk.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { addDesk } from '../desks/desks.service.ts'
import * as desks from '../desks/desks.store.ts'
import * as store from './hired-desks.store.ts'

interface HiredDesk {
  readonly name: string
  readonly runtime: Runtime
  /** The repository that it is for. */
  readonly project_id: string | null
}

/**
 * HIRE-19, HIRE-G6: a desk for an agent that is hired. It counts towards the plan and is never refused by it, so it waits
 * for nobody's turn. There is no join secret: nobody would see it. A person asks for one when there is a machine.
 */
export const orderHiredDesk = (ctx: BrandTx, wanted: HiredDesk): Promise<string> =>
  addDesk(ctx, { ...wanted, region: null, description: null })

export interface HiredDeskFacts {
  readonly agent_id: string | null
  readonly project_id: string | null
  /** As beats tell it. */
  readonly revision: number
  readonly workspace_path: string
  /** Two machines have its key. */
  readonly is_quarantined: boolean
}

/** Undefined once it was released. */
export async function findHiredDesk(ctx: BrandCtx, id: string): Promise<HiredDeskFacts | undefined> {
  const row = await desks.findDesk(ctx, id)
  if (!row) return undefined
  const {
    hired_agent_id: agent_id,
    hire_revision: revision,
    project_id,
    workspace_path,
    is_quarantined,
  } = row
  return { agent_id, project_id, revision, workspace_path, is_quarantined }
}

/**
 * The desk has the agent from now on: its memories, and what its hire hands out to desks. A project of null leaves the
 * desk the one it has. Returns whether the desk is still there. Emits and audits.
 */
export async function assignDesk(
  ctx: BrandTx,
  id: string,
  agent_id: string,
  project_id: string | null = null,
): Promise<boolean> {
  const old = await desks.lockDesk(ctx, id)
  if (!old) return false
  const isSame = old.hired_agent_id === agent_id && (project_id ?? old.project_id) === old.project_id
  if (isSame) return true
  await store.updateAssigned(ctx, { id, agent_id, project_id })
  await tell(ctx, old)
  const to = { agent_id, project_id: project_id ?? old.project_id }
  await ctx.audit({ action: 'desk.assigned', target: `desk:${id}`, from: assignmentOf(old), to })
  return true
}

/** For a transaction that locks more and emits before it takes the agent away: the desk comes first. */
export async function holdHiredDesk(ctx: BrandTx, id: string): Promise<void> {
  await desks.lockDesk(ctx, id)
}

/** The machine stays with the workspace, without the agent. Nothing happens where there is none. Emits and audits. */
export async function unassignDesk(ctx: BrandTx, id: string): Promise<void> {
  const old = await desks.lockDesk(ctx, id)
  if (!old || old.hired_agent_id === null) return
  await store.updateUnassigned(ctx, id)
  await tell(ctx, old)
  const to = { agent_id: null, project_id: old.project_id }
  await ctx.audit({ action: 'desk.assigned', target: `desk:${id}`, from: assignmentOf(old), to })
}

/** With its next beat, the desk fetches anew what its hire hands out. Returns whether it has an agent at all. */
export const renewDesk = async (ctx: BrandTx, id: string): Promise<boolean> =>
  (await store.updateHireRevision(ctx, id)) > 0

const assignmentOf = ({ hired_agent_id, project_id }: desks.DeskRow) => ({
  agent_id: hired_agent_id,
  project_id,
})

const tell = (ctx: BrandTx, { id, state }: desks.DeskRow) =>
  ctx.emit({ type: 'desk.changed', subject_id: id, data: { workstation_id: id, status: state } })
