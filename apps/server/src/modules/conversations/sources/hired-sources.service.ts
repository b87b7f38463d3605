import { sourceNotFound } from '@crewhall/contracts/conversations/refusals.ts'
import type { SourceType } from '@crewhall/contracts/conversations/sources.ts'
import { holdAgent } from '#modules/identity'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import { sealConfig } from './sealed-config.ts'
import { auditedSource } from './sources.present.ts'
import { readerOf, type SourceDeps } from './sources.service.ts'
import * as store from './sources.store.ts'

interface HiredSource {
  /** Chosen by whoever has to find it again. */
  readonly id: string
  readonly agent_id: string
  readonly source_type: SourceType
  /** Below the directory of the workspace; null for a source that reads none. */
  readonly directory: string | null
}

/**
 * A source that came with an agent. It counts towards the limit of the plan and is never refused by it: whoever could take
 * the agent on gets it whole.
 */
export async function createHiredSource(
  ctx: BrandTx,
  deps: Pick<SourceDeps, 'secret_box' | 'reads_directories'>,
  { id, agent_id, source_type, directory }: HiredSource,
): Promise<void> {
  const config = directory === null ? {} : { directory }
  const reader = readerOf(deps, source_type, config)
  await holdAgent(ctx, agent_id)
  const row = await store.insertSource(ctx, {
    id,
    agent_id,
    source_type,
    config: sealConfig(deps.secret_box, ctx.brandId, id, config),
    reader,
    enabled: true,
    created_by: ctx.actor.kind === 'person' ? ctx.actor.person_id : null,
  })
  if (!row) throw sourceNotFound()
  await ctx.audit({ action: 'source.created', target: `source:${id}`, from: null, to: auditedSource(row) })
}

/** Bears repetition: those that somebody has deleted before are left out. Returns how many it has ended. */
export async function endHiredSources(ctx: BrandTx, ids: readonly string[]): Promise<number> {
  let ended = 0
  // In one order for all, so that two that end the same ones do not wait in a circle.
  for (const id of ids.toSorted()) {
    const row = await store.deleteSource(ctx, id)
    if (!row) continue
    ended += 1
    await ctx.audit({ action: 'source.deleted', target: `source:${id}`, from: auditedSource(row), to: null })
  }
  return ended
}
