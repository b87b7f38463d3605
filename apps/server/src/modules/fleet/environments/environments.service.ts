import {
  type Environment,
  type EnvironmentChange,
  maxExpired,
} from '@crewhall/contracts/fleet/environments.ts'
import { keptHealthEvents } from '@crewhall/contracts/fleet/health.ts'
import { deskNotFound, sidecarUrlRefused } from '@crewhall/contracts/fleet/refusals.ts'
import { holdAgent } from '#modules/identity'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { silentBefore } from '../desks/desk-status.rules.ts'
import { auditedDesk } from '../desks/desks.present.ts'
import * as store from '../desks/desks.store.ts'
import { insertHealthEvent } from '../health/timeline.store.ts'
import { isRepointedElsewhere, type MeshFacts } from '../mesh/peers.service.ts'
import { type NextDesk, nextDesk } from './change.rules.ts'
import { presentEnvironment } from './environments.present.ts'

export interface EnvironmentDeps {
  /** Whether an address lies in a network of desks. */
  isDeskUrl(url: string): boolean
  readonly mesh: MeshFacts | undefined
}

export async function changeEnvironment(
  ctx: BrandCtx,
  deps: EnvironmentDeps,
  id: string,
  change: EnvironmentChange,
): Promise<Environment> {
  const { sidecar_url: url } = change
  if (url !== undefined && !deps.isDeskUrl(url)) throw sidecarUrlRefused()
  return ctx.tx(async (ctx) => {
    const old = found(await store.lockDesk(ctx, id))
    if (url !== undefined && (await isRepointedElsewhere(ctx, deps.mesh, id, url))) throw sidecarUrlRefused()
    const next = nextDesk(old, change)
    const { is_suspended, is_resumed, is_repointed, is_renamed } = next
    const begins_anew = is_suspended || is_resumed || is_repointed
    if (!begins_anew && !is_renamed) return presentEnvironment(ctx.brandId, old)
    const { name, description, state, sidecar_url, agent_id } = next
    if (next.is_assigned && agent_id !== null) await holdAgent(ctx, agent_id)
    await store.updateDesk(ctx, {
      id,
      name,
      description,
      state,
      sidecar_url,
      agent_id,
      is_resumed,
      begins_anew,
    })
    const row = found(await store.findDesk(ctx, id))
    await tell(ctx, row, next)
    await note(ctx, old, row, next)
    await ctx.audit({
      action: 'desk.changed',
      target: `desk:${id}`,
      from: auditedDesk(old),
      to: auditedDesk(row),
    })
    return presentEnvironment(ctx.brandId, row)
  })
}

async function tell(ctx: BrandTx, { id, state }: store.DeskRow, next: NextDesk): Promise<void> {
  const types = [
    next.is_renamed && 'desk.changed',
    next.is_repointed && 'desk.repointed',
    next.is_suspended && 'desk.suspended',
    next.is_resumed && 'desk.resumed',
  ] as const
  for (const type of types)
    if (type) await ctx.emit({ type, subject_id: id, data: { workstation_id: id, status: state } })
}

/** Whoever reads the timeline sees why a desk has stopped to be checked, or begins anew. */
async function note(ctx: BrandTx, old: store.DeskRow, row: store.DeskRow, next: NextDesk): Promise<void> {
  const kinds = [
    next.is_repointed && 'repointed',
    next.is_suspended && 'suspended',
    next.is_resumed && 'resumed',
  ] as const
  let from_state = old.state
  for (const kind of kinds) {
    if (!kind) continue
    const state = kind === 'repointed' && (next.is_suspended || next.is_resumed) ? from_state : row.state
    const event = { id: row.id, kind, from_state, state, cause: null, misses: 0, latency_ms: null }
    await insertHealthEvent(ctx, event, keptHealthEvents)
    from_state = state
  }
}

/** ENV-40, ENV-41: suspended desks are read from what they have last reported. */
export async function getReauthStatus(ctx: BrandCtx) {
  const known = await store.countLogins(ctx, silentBefore(ctx.now()), maxExpired)
  if (!known) throw new Error('counting gives a row')
  const { checked, dormant, expired_count, expired } = known
  const named = expired.map(({ id, name, runtime }) => ({ workstation_id: id, name, runtime }))
  return { checked, dormant, expired_count, expired: named }
}

function found<T>(row: T | undefined): T {
  if (row === undefined) throw deskNotFound()
  return row
}
