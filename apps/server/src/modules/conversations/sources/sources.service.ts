import { randomUUIDv7 } from 'node:crypto'
import * as refused from '@crewhall/contracts/conversations/refusals.ts'
import type {
  NewSource,
  Source,
  SourceChange,
  SourceConfig,
  SourceType,
} from '@crewhall/contracts/conversations/sources.ts'
import { areBoards } from '#modules/boards'
import { findAgent, holdAgent, lockPlan } from '#modules/identity'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import { boardIdsOf } from './board-ids.rules.ts'
import { isDirectory, unmaskedConfig } from './config.rules.ts'
import { openConfig, sealConfig } from './sealed-config.ts'
import { auditedSource, presentSource } from './sources.present.ts'
import * as store from './sources.store.ts'

export interface SourceDeps {
  readonly secret_box: SecretBox
  readonly cursors: Cursors
  /** Whether sources may name a directory. */
  readonly reads_directories: boolean
}

/** CONV-G2: whose agent it is comes before how many there are. What throws here has used up nothing. */
export function createSource(ctx: BrandCtx, deps: SourceDeps, given: NewSource): Promise<Source> {
  const config = meant(given.config, {})
  const reader = readerOf(deps, given.source_type, config)
  return ctx.tx(async (ctx) => {
    const { agent_id } = await holdAgent(ctx, given.agent_id)
    if (reader === 'boards') await refuseUnknownBoards(ctx, config)
    const { source_cap } = await lockPlan(ctx)
    await store.lockSources(ctx)
    const current = await store.countSources(ctx)
    if (current >= source_cap) throw refused.sourceQuotaExceeded(source_cap, current)
    const id = randomUUIDv7()
    const row = found(
      await store.insertSource(ctx, {
        id,
        agent_id,
        source_type: given.source_type,
        config: sealConfig(deps.secret_box, ctx.brandId, id, config),
        reader,
        enabled: given.enabled,
        created_by: ctx.actor.kind === 'person' ? ctx.actor.person_id : null,
      }),
    )
    await audit(ctx, 'created', id, null, auditedSource(row))
    return presentSource(row, config)
  })
}

/** After every id that there is. */
const newest = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

interface ListQuery {
  readonly agent_id?: string | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

export async function listSourcePage(ctx: BrandCtx, deps: SourceDeps, query: ListQuery) {
  const { agent_id, limit, cursor } = query
  const list = `conversation-sources:${ctx.brandId}`
  const before = cursor === undefined ? newest : deps.cursors.read(list, cursor)
  if (before === undefined) throw refused.unknownCursor()
  if (agent_id !== undefined) await findAgent(ctx, agent_id)
  const rows = await store.listSources(ctx, agent_id, { before, limit: limit + 1 })
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    sources: page.map((row) => presentSource(row, opened(ctx, deps, row))),
    next_cursor: last && rows.length > limit ? deps.cursors.issue(list, last.id) : null,
  }
}

export async function getSource(ctx: BrandCtx, deps: SourceDeps, id: string): Promise<Source> {
  const row = found(await store.findSource(ctx, id))
  return presentSource(row, opened(ctx, deps, row))
}

export const changeSource = (
  ctx: BrandCtx,
  deps: SourceDeps,
  id: string,
  change: SourceChange & { readonly reason?: string | undefined },
): Promise<Source> =>
  ctx.tx(async (ctx) => {
    // What is read is written under the agent, and nothing is written under a retired one. The agent comes first, as
    // where it is retired.
    if (change.enabled) await holdAgent(ctx, found(await store.findSource(ctx, id)).agent_id)
    const old = found(await store.lockSource(ctx, id))
    const before = opened(ctx, deps, old)
    const config = change.config === undefined ? before : meant(change.config, before)
    if (old.source_type === 'agentboard' && change.config) await refuseUnknownBoards(ctx, config)
    const enabled = change.enabled ?? old.enabled
    const row = found(
      await store.updateSource(
        ctx,
        {
          id,
          config:
            change.config === undefined ? old.config : sealConfig(deps.secret_box, ctx.brandId, id, config),
          reader: readerOf(deps, old.source_type, config),
          enabled,
          paused_reason: enabled ? null : (change.reason ?? old.paused_reason),
        },
        change.config !== undefined,
      ),
    )
    if (old.enabled && !enabled) await tellPaused(ctx, row)
    await audit(ctx, 'changed', id, auditedSource(old), auditedSource(row))
    return presentSource(row, config)
  })

export const endSource = (ctx: BrandCtx, id: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    const row = found(await store.deleteSource(ctx, id))
    await audit(ctx, 'deleted', id, auditedSource(row), null)
  })

export const tellPaused = (ctx: BrandTx, { id, agent_id, source_type }: store.SourceRow): Promise<void> =>
  ctx.emit({ type: 'source.paused', subject_id: id, data: { agent_id, source_type } })

/** Last in the transaction that has paused it. */
export const auditPause = (ctx: BrandTx, before: store.SourceRow, after: store.SourceRow): Promise<void> =>
  audit(ctx, 'changed', after.id, auditedSource(before), auditedSource(after))

/** What the switch `feed` holds. */
export const countSources = store.countSources

/** Settings that can no longer be opened look empty; the source itself is still there. */
const opened = (ctx: BrandCtx, { secret_box }: SourceDeps, { id, config }: store.SourceRow): SourceConfig =>
  openConfig(secret_box, ctx.brandId, id, config) ?? {}

function meant(sent: SourceConfig, stored: SourceConfig): SourceConfig {
  const config = unmaskedConfig(sent, stored)
  if (!config) throw refused.maskedValueUnknown()
  return config
}

/** Who fetches the conversations of such a source. */
export function readerOf(
  { reads_directories }: Pick<SourceDeps, 'reads_directories'>,
  type: SourceType,
  { directory }: SourceConfig,
): store.Reader | null {
  if (type === 'agentboard') return 'boards'
  if (directory === undefined) return null
  if (!reads_directories) throw refused.directoriesOff()
  if (!isDirectory(directory)) throw refused.directoryMalformed()
  return 'directory'
}

/** Where a board that does not exist and one of another workspace look the same. */
async function refuseUnknownBoards(ctx: BrandTx, config: SourceConfig): Promise<void> {
  const ids = boardIdsOf(config)
  if (ids === null) throw refused.boardIdsMalformed()
  if (ids && !(await areBoards(ctx, ids))) throw refused.boardsUnknown()
}

function found<Row>(row: Row | undefined): Row {
  if (!row) throw refused.sourceNotFound()
  return row
}

const audit = (ctx: BrandTx, what: string, id: string, from: unknown, to: unknown): Promise<void> =>
  ctx.audit({ action: `source.${what}`, target: `source:${id}`, from, to })
