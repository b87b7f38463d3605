import type { SystemCtx } from '#platform/ctx/ctx.ts'
import type { KeptValues } from '#platform/redis/kept-values.ts'
import type { WireGuardDevice } from '#platform/wireguard/device.ts'
import { keysHeard, stepsOfComparison, stepsOfDelta } from './hub.rules.ts'
import * as store from './hub.store.ts'

export interface HubDeps {
  readonly cell: number
  readonly device: Pick<WireGuardDevice, 'ensure' | 'guard' | 'listPeers' | 'change'>
  /** Where peers were last heard from: one value for the cell. */
  readonly endpoints: KeptValues
}

const deltasAtOnce = 500
const peersAtOnce = 2000
const saveEveryMs = 30_000
const compareEveryMs = 10 * 60_000
/** A desk that was not heard for longer may be anywhere. */
const heardWithinS = 24 * 60 * 60

/**
 * Keeps the peers of the device as the rows say. One process does that for a cell, one look at a time; the rows are right,
 * and what the device knows besides them is where its peers are.
 */
export class Hub {
  readonly #deps: HubDeps
  #isLoaded = false
  #savedAt = Number.NEGATIVE_INFINITY
  #comparedAt = Number.NEGATIVE_INFINITY

  constructor(deps: HubDeps) {
    this.#deps = deps
  }

  /** Whether the next look is worth while soon: a desk is about to be heard with another key. */
  async look(ctx: SystemCtx): Promise<boolean> {
    const isNew = await this.#deps.device.ensure()
    if (isNew) this.#isLoaded = false
    const isDue = performance.now() - this.#comparedAt > compareEveryMs
    if (!this.#isLoaded || isDue) await this.#compare(ctx)
    const isSwapping = await this.#swapKeys(ctx)
    await this.#applyDeltas(ctx)
    if (performance.now() - this.#savedAt > saveEveryMs) await this.saveEndpoints(ctx)
    return isSwapping
  }

  /** A key that a desk was heard with becomes the one in use, and gets the address; the one before goes. */
  async #swapKeys(ctx: SystemCtx): Promise<boolean> {
    const { cell, device } = this.#deps
    const rows = await store.listNextKeys(ctx, cell)
    if (rows.length === 0) return false
    const heard = keysHeard(
      rows.map(({ next_wg_key }) => next_wg_key),
      await device.listPeers(),
    )
    if (heard.length > 0) {
      await store.updateSwapped(ctx, heard)
      ctx.log.info({ keys: heard.length }, 'desks have changed their keys')
    }
    return rows.some(({ next_wg_key, is_fresh }) => is_fresh && !heard.includes(next_wg_key))
  }

  async #applyDeltas(ctx: SystemCtx): Promise<void> {
    const { cell, device } = this.#deps
    for (;;) {
      const deltas = await store.listDeltas(ctx, cell, deltasAtOnce)
      if (deltas.length === 0) return
      const isReplacing = deltas.some(
        ({ wg_key, old_wg_key, like_wg_key }) => wg_key !== null && (old_wg_key ?? like_wg_key) !== null,
      )
      const found = isReplacing ? await device.listPeers() : []
      const endpoints = new Map(found.map(({ key, endpoint }) => [key, endpoint]))
      await device.change(deltas.flatMap((delta) => stepsOfDelta(delta, (key) => endpoints.get(key) ?? null)))
      await ctx.faultPoint('fleet.mesh-applied')
      await store.updateApplied(
        ctx,
        deltas.map(({ id }) => id),
      )
      ctx.log.info({ deltas: deltas.length, last: deltas.at(-1)?.id }, 'peers of the mesh changed')
      if (deltas.length < deltasAtOnce) return
    }
  }

  /** Everything at once: at the start, and now and then, should anything else have changed the device. */
  async #compare(ctx: SystemCtx): Promise<void> {
    const { cell, device } = this.#deps
    // Read before the peers are, which then say all that these ask for.
    const contained = await this.#listWaiting(ctx)
    const wanted = await this.#listWanted(ctx)
    const saved = this.#isLoaded ? new Map() : await this.#readEndpoints(ctx)
    const steps = stepsOfComparison(wanted, await device.listPeers(), (key) => saved.get(key) ?? null)
    await device.change(steps)
    await device.guard()
    for (let from = 0; from < contained.length; from += deltasAtOnce)
      await store.updateApplied(ctx, contained.slice(from, from + deltasAtOnce))
    const [peers, deltas] = [wanted.length, contained.length]
    ctx.log.info({ cell, peers, steps: steps.length, deltas }, 'peers of the mesh compared')
    this.#isLoaded = true
    this.#comparedAt = performance.now()
  }

  async #listWaiting(ctx: SystemCtx): Promise<string[]> {
    const { cell } = this.#deps
    const rows = await store.listDeltas(ctx, cell, 2 * maxPeers)
    return rows.map(({ id }) => id)
  }

  async #listWanted(ctx: SystemCtx): Promise<store.PeerRow[]> {
    const all: store.PeerRow[] = []
    for (;;) {
      const page = await store.listPeersAfter(ctx, this.#deps.cell, all.at(-1)?.wg_key ?? '', peersAtOnce)
      all.push(...page)
      if (page.length < peersAtOnce) return all
    }
  }

  /** Desks that are silent for minutes do not look for a hub that came back; the hub has to call them. */
  async saveEndpoints(ctx: SystemCtx): Promise<void> {
    const { cell, device, endpoints } = this.#deps
    this.#savedAt = performance.now()
    const since = ctx.now().getTime() / 1000 - heardWithinS
    try {
      // Whoever was not heard at all is where an earlier hub has seen it.
      const known = (await device.listPeers()).flatMap(({ key, endpoint, handshake_at }) =>
        endpoint !== null && (handshake_at === 0 || handshake_at > since) ? [[key, endpoint]] : [],
      )
      if (known.length > 0) await endpoints.put(String(cell), JSON.stringify(known))
    } catch (error) {
      ctx.log.warn({ error }, 'could not save where desks are')
    }
  }

  async #readEndpoints(ctx: SystemCtx): Promise<Map<string, string>> {
    try {
      return new Map(JSON.parse((await this.#deps.endpoints.find(String(this.#deps.cell))) ?? '[]'))
    } catch (error) {
      ctx.log.warn({ error }, 'could not read where desks were; they are found when they call')
      return new Map()
    }
  }
}

/** What a hub has room for. */
const maxPeers = 16_384

/** Of what was done there is a trace in the log; the rows are for what is not. */
const appliedDays = 1

export const appliedDeltasSweep = {
  table: 'fleet.mesh_deltas',
  bite: (ctx: SystemCtx, limit: number) => store.deleteOldDeltas(ctx, limit, appliedDays),
}

export const oldestDeltaSeconds = (ctx: SystemCtx, cell: number): Promise<number> =>
  store.findOldestSeconds(ctx, cell)
