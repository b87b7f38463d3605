import { createHash } from 'node:crypto'
import type { PinnedTool } from '@crewhall/contracts/marketplace/installs.ts'
import { maxInstalls } from '@crewhall/contracts/marketplace/refusals.ts'
import type { BrandCtx, EventListener } from '#platform/ctx/ctx.ts'
import type { WakeUps } from '#platform/events/wake-ups.ts'
import type { EpochValues } from '#platform/redis/epoch-values.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import { findCredential } from '../installs/installs.service.ts'
import { deleteGrantsOf } from '../installs/installs.store.ts'
import { findPinned, type GrantRow, listGranted } from './grants.store.ts'
import { PinnedTools } from './pinned-tools.ts'
import { RememberedGrants } from './remembered-grants.ts'

/** A package that a caller may use now. */
export interface Granted extends GrantRow {
  /** As they were approved; none for a built-in package, whose tools are those of its version. */
  readonly tools: readonly PinnedTool[]
}

/** Whom a credential speaks for: an agent of the workspace, or nobody but its person. */
export interface GrantedCaller {
  readonly brand_id: number
  readonly agent_id: string | null
}

export interface Grants {
  /**
   * What the caller may use, by package. It may be remembered, so the caller has to be confirmed elsewhere. Nothing older
   * than 60 seconds is used: without a database this is an Outage then.
   */
  of(ctx: BrandCtx, caller: GrantedCaller): Promise<readonly Granted[]>
  /** For the server of an `http` package; null where there is none. Read for each call and never remembered. */
  credentialOf(ctx: BrandCtx, install_id: string): Promise<string | null>
}

export interface GrantDeps {
  /** Copies that processes share. */
  readonly shared: EpochValues
  readonly wake_ups: Pick<WakeUps, 'listen' | 'tell'>
  readonly secret_box: SecretBox
}

/** HIRE-33: whatever goes wrong, what was taken away is gone after this long. */
const maxAgeMs = 60_000
/** About 4 KB each. */
const maxRemembered = 5000
const maxToolCharacters = 32_000_000

interface Kept {
  readonly read_at: number
  readonly rows: readonly GrantRow[]
}

const topicOf = (brand_id: number | string): string => `grants:${brand_id}`
const everywhere = 'grants-of-all'

export interface OwnedGrants extends Grants {
  /** Notices changes; one for the process. */
  readonly listener: EventListener
  /** A package was withdrawn: what any workspace has may be out of date. */
  changedEverywhere(): void
  close(): void
}

export function createGrants({ shared, wake_ups, secret_box }: GrantDeps): OwnedGrants {
  const remembered = new RememberedGrants<readonly GrantRow[]>({
    max_age_ms: maxAgeMs,
    limit: maxRemembered,
    listen: (brand_id, changed) => wake_ups.listen([topicOf(brand_id)], changed),
  })
  const tools = new PinnedTools(maxToolCharacters)
  const forget = wake_ups.listen([everywhere], () => remembered.forgetAll())

  async function read(
    ctx: BrandCtx,
    agent_id: string | null,
  ): Promise<{ value: readonly GrantRow[]; read_at: number }> {
    const group = String(ctx.brandId)
    // A workspace names its agents; what it writes stands nowhere but in its rows.
    const id = agent_id === null ? '' : createHash('sha256').update(agent_id).digest('hex').slice(0, 32)
    const begun = ctx.now().getTime()
    // Without Redis every process asks the database for itself.
    const kept = await shared.read(group, id).catch(() => undefined)
    const copy = kept?.value ? (JSON.parse(kept.value) as Kept) : undefined
    if (copy && remembered.isFresh(copy.read_at, begun)) return { value: copy.rows, read_at: copy.read_at }
    const rows = await listGranted(ctx, agent_id, maxInstalls)
    const value: Kept = { read_at: begun, rows }
    if (kept) shared.keep(group, id, kept.epoch, JSON.stringify(value), maxAgeMs).catch(() => {})
    return { value: rows, read_at: begun }
  }

  async function withTools(ctx: BrandCtx, row: GrantRow): Promise<Granted[]> {
    if (row.kind === 'builtin') return [{ ...row, tools: [] }]
    const found = await tools.find(
      `${row.install_id} ${row.digest}`,
      async () => (await findPinned(ctx, row.install_id, row.digest))?.tools,
    )
    // Approved anew or gone since the grants were read.
    return found ? [{ ...row, tools: found }] : []
  }

  function changed(brand_id: number): void {
    // In this order on one connection: whoever is woken finds that the shared copies have ended.
    shared.end(String(brand_id)).catch(() => {})
    wake_ups.tell(topicOf(brand_id))
  }

  return {
    async of(ctx, { brand_id, agent_id }) {
      if (brand_id !== ctx.brandId) throw new Error('grants are those of the workspace of the context')
      const now = ctx.now().getTime()
      const rows = await remembered.find(String(brand_id), agent_id ?? '', now, () => read(ctx, agent_id))
      return (await Promise.all(rows.map((row) => withTools(ctx, row)))).flat()
    },
    credentialOf: (ctx, install_id) => findCredential(ctx, { secret_box }, install_id),
    listener: {
      async happened(ctx, events) {
        // Its tokens end as well; its id is never given again.
        const gone = events.filter(({ type }) => type === 'agent.retired')
        const subjects = gone.map(({ data }) => (data as { subject: { id: string } }).subject)
        await ctx.db.inOrder(subjects.map(({ id }) => deleteGrantsOf(ctx, id)))
      },
      committed(brand_id, { type }) {
        if (type.startsWith('install.') || type === 'agent.retired') changed(brand_id)
      },
    },
    changedEverywhere() {
      shared.endAll().catch(() => {})
      wake_ups.tell(everywhere)
    },
    close: () => {
      forget()
      remembered.forgetAll()
    },
  }
}
