import { keptChanges } from '@crewhall/contracts/memory/history.ts'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import { type ChangeRow, listChanges } from '../history/history.store.ts'
import { writeChange, writeDeletion } from '../memories/memories.service.ts'
import { lockMemory } from '../memories/memories.store.ts'
import { isPersonActing, memoryActorOf } from '../memories/memory-actor.ts'
import { updateWithdrawn } from '../review/proposals.store.ts'
import { listAgentsOf, lockAutomation } from './automation.store.ts'
import { deleteProvenance, listWritten, type Which, type Written } from './provenance.store.ts'

export interface Left {
  readonly id: string
  /**
   * A person has created it by approving a proposal, somebody has changed or deleted it since, it has become part of a
   * pattern, or another conversation says the same.
   */
  readonly reason: 'approved' | 'changed_since' | 'deleted_since' | 'merged_since' | 'said_by_others'
}
export interface RolledBack {
  readonly deleted: readonly string[]
  readonly restored: readonly string[]
  readonly left: readonly Left[]
  /** Open proposals that were rejected. */
  readonly withdrawn: number
  /** Where the next call goes on; null at the end. */
  readonly next: string | null
}
type Undone = 'deleted' | 'restored' | 'nothing' | Left['reason']

const start = '00000000-0000-0000-0000-000000000000'
const bite = 100
const beyond = 2_147_483_647
const reason = 'Rolled back'

/** Only what a person takes back stays away. */
export const mayRollBack = ({ actor }: BrandTx): boolean => isPersonActing(actor)

/**
 * The conversations that have a part in what the next call of `rollBack` undoes. Whoever reads one holds it before its
 * memories, so a caller that stops them from being read does so in between.
 */
export const listWriters = async (ctx: BrandTx, which: Which, after: string = start): Promise<string[]> => {
  const written = await listWritten(ctx, which, after, bite)
  return [...new Set(written.flatMap(({ conversation_ids }) => conversation_ids))]
}

/**
 * Undoes what one conversation or source has written: what it created is deleted, and what it changed is as it was before,
 * unless somebody has changed it since. The caller decides, so the history names the caller, and what a person rolls back
 * does not come back.
 */
export async function rollBack(ctx: BrandTx, which: Which, after: string = start): Promise<RolledBack> {
  const written = await listWritten(ctx, which, after, bite)
  for (const agent_id of await listAgentsOf(
    ctx,
    written.map(({ memory_id }) => memory_id),
  ))
    await lockAutomation(ctx, agent_id)
  const outcomes: { readonly id: string; readonly undone: Undone }[] = []
  for (const each of written) {
    outcomes.push({ id: each.memory_id, undone: await undo(ctx, each.memory_id, each) })
    for (const id of each.superseded) {
      // What it has written itself was undone before: an older memory has a smaller id.
      const undone = await undo(ctx, id, { ...each, has_others: false, is_origin: false })
      if (undone !== 'deleted_since') outcomes.push({ id, undone })
    }
  }
  const withdrawn = await updateWithdrawn(ctx, which, memoryActorOf(ctx.actor))
  const these = (wanted: Undone) => outcomes.filter(({ undone }) => undone === wanted).map(({ id }) => id)
  const left = outcomes.flatMap(({ id, undone }): Left[] =>
    undone === 'deleted' || undone === 'restored' || undone === 'nothing' ? [] : [{ id, reason: undone }],
  )
  return {
    deleted: these('deleted'),
    restored: these('restored'),
    left,
    withdrawn: withdrawn.length,
    next: written.length === bite ? (written.at(-1)?.memory_id ?? null) : null,
  }
}

async function undo(
  ctx: BrandTx,
  id: string,
  { conversation_ids, has_others, is_origin }: Omit<Written, 'memory_id' | 'superseded'>,
): Promise<Undone> {
  const row = await lockMemory(ctx, id)
  if (!row) return 'deleted_since'
  const changes = await listChanges(ctx, id, beyond, keptChanges)
  const isTheirs = ({ actor }: ChangeRow) => actor.kind === 'system' && conversation_ids.includes(actor.id)
  const oldest = createdBy(changes, isTheirs) ?? latestRun(changes, isTheirs).at(-1)
  if (!oldest && changes.some(isTheirs)) return sinceOf(changes[0])
  if (!oldest && is_origin && row.created_by.kind === 'member') return 'approved'
  if (oldest && !oldest.before && has_others) {
    await deleteProvenance(ctx, id, conversation_ids)
    return 'said_by_others'
  }
  await deleteProvenance(ctx, id, conversation_ids)
  if (!oldest) return 'nothing'
  if (oldest.before) await writeChange(ctx, row, oldest.before, 'restored', { reason })
  else await writeDeletion(ctx, row, { reason })
  return oldest.before ? 'restored' : 'deleted'
}

/** The changes since the last one that somebody else made. */
function latestRun(
  changes: readonly ChangeRow[],
  isTheirs: (change: ChangeRow) => boolean,
): readonly ChangeRow[] {
  const first = changes.findIndex((change) => !isTheirs(change))
  return first < 0 ? changes : changes.slice(0, first)
}

/** Its creation, if nothing has happened since but that it was merged: its pattern is written anew without it. */
function createdBy(
  changes: readonly ChangeRow[],
  isTheirs: (change: ChangeRow) => boolean,
): ChangeRow | undefined {
  const oldest = latestRun(changes, (change) => isTheirs(change) || isMerge(change)).at(-1)
  return oldest && !oldest.before && isTheirs(oldest) ? oldest : undefined
}

const isMerge = ({ action, actor }: ChangeRow): boolean =>
  actor.kind === 'system' && (action === 'merged' || action === 'unmerged')

function sinceOf(change: ChangeRow | undefined): Left['reason'] {
  if (change && isMerge(change)) return 'merged_since'
  return change?.actor.kind === 'system' ? 'said_by_others' : 'changed_since'
}
