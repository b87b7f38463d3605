import { randomBytes, randomUUID } from 'node:crypto'
import { healthPath } from '@crewhall/contracts/fleet/desk-protocol.ts'
import type { EventListener, OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import type { Outbound } from '#platform/outbound/outbound.ts'
import type { DueTimes } from '#platform/redis/due-times.ts'
import * as store from './checks.store.ts'
import { isMassMiss, type NextHealth, nextHealth, type Outcome } from './health.rules.ts'
import { readHealth } from './health-response.ts'

export interface CheckDeps {
  readonly due: DueTimes
  readonly outbound: Outbound
  /** Whether an address lies in a network of desks. */
  isDeskUrl(url: string): boolean
  /** Between two checks of a desk. */
  readonly interval_ms: number
  /** For one check. */
  readonly limit_ms: number
}

const cell = 0
/** How often all desks are looked through for some that are not in the list. */
const fillMs = 60_000
const fillPage = 1000
const atOnce = 500
const parallel = 250
/** Twice as long as a round in which nobody answers: a holder that is alive keeps its cell, and with it whom it asked. */
const holdSecondsFor = (limit_ms: number): number =>
  Math.max(20, Math.ceil((2 * (atOnce / parallel) * limit_ms) / 1000))
/** A fault that lasts longer is not ours, or has to be seen. */
const patienceMs = 5 * 60_000

export const placeOf = (brand_id: number, id: string): string => `${brand_id}:${id}`
function parsePlace(member: string): store.DeskPlace {
  const [brand = '', id = ''] = member.split(':')
  return { brand_id: Number(brand), id }
}

/** What makes a check worth while before its time. */
const reasons = ['desk.registered', 'desk.resumed', 'desk.repointed']

export const checkingSoon = (hurry: (brandId: number, id: string) => void): EventListener => ({
  committed(brandId, { type, data }) {
    const { subject } = data as { subject?: { id: string } }
    if (reasons.includes(type) && subject) hurry(brandId, subject.id)
  },
})

interface Checked {
  readonly desk: store.WatchedRow
  readonly outcome: Outcome
}

/** Checks the desks of a cell while it holds the cell. One in a process. */
export class Checks {
  readonly #deps: CheckDeps
  readonly #holder = randomUUID()
  #fence: string | undefined
  /** Those that this holder has asked before. The first miss of a desk may be ours: we have just come up. */
  #asked = new Set<string>()
  #filledAt = Number.NEGATIVE_INFINITY
  #suspectSince: number | undefined

  constructor(deps: CheckDeps) {
    this.#deps = deps
  }

  /** One round: whoever is due. */
  async look(ctx: OutsideSystemCtx): Promise<void> {
    const seconds = holdSecondsFor(this.#deps.limit_ms)
    const held = await store.updateHold(ctx, { cell, holder: this.#holder, seconds })
    if (held?.fence !== this.#fence) this.#begin(held?.fence)
    if (!held) return
    const { due, interval_ms } = this.#deps
    await this.#fill(ctx)
    const members = await due.take(ctx.now(), atOnce, interval_ms)
    if (members.length === 0) return
    const desks = await store.listWatched(ctx, members.map(parsePlace))
    const live = new Set(desks.map(({ brand_id, id }) => placeOf(brand_id, id)))
    const gone = members.filter((member) => !live.has(member))
    for (const member of gone) this.#asked.delete(member)
    await due.remove(gone)
    await this.#conclude(ctx, held.fence, await this.#ask(ctx, desks))
  }

  #begin(fence: string | undefined): void {
    this.#fence = fence
    this.#asked = new Set()
    this.#filledAt = Number.NEGATIVE_INFINITY
    this.#suspectSince = undefined
  }

  async #fill(ctx: OutsideSystemCtx): Promise<void> {
    const now = ctx.now()
    if (now.getTime() - this.#filledAt < fillMs) return
    const { due, interval_ms } = this.#deps
    let after: store.DeskPlace | undefined = { brand_id: 0, id: '00000000-0000-0000-0000-000000000000' }
    while (after) {
      const page: store.DeskPlace[] = await store.listPollable(ctx, after, fillPage)
      await due.fill(
        page.map(({ brand_id, id }) => placeOf(brand_id, id)),
        now,
        interval_ms,
      )
      after = page.length === fillPage ? page.at(-1) : undefined
    }
    this.#filledAt = now.getTime()
  }

  async #ask(ctx: OutsideSystemCtx, desks: readonly store.WatchedRow[]): Promise<Checked[]> {
    const rest = desks.values()
    const checked: Checked[] = []
    const lane = async () => {
      for (const desk of rest) checked.push({ desk, outcome: await check(ctx, this.#deps, desk) })
    }
    await Promise.all(Array.from({ length: Math.min(parallel, desks.length) }, lane))
    return checked
  }

  async #conclude(ctx: OutsideSystemCtx, fence: string, checked: readonly Checked[]): Promise<void> {
    const isFrozen = this.#isFrozen(ctx, checked)
    for (const { desk, outcome } of checked) {
      const place = placeOf(desk.brand_id, desk.id)
      const isKnown = this.#asked.has(place)
      this.#asked.add(place)
      if (outcome.kind === 'missed' && (isFrozen || !isKnown)) continue
      const next = nextHealth(desk, outcome)
      if (isNews(desk, outcome, next)) await note(ctx, fence, desk, outcome, next)
    }
  }

  /**
   * So many misses at once are rather a fault of the line than of so many desks. Only desks that were ready count: those
   * that are known to be away, however many a workspace has, say nothing about the line.
   */
  #isFrozen(ctx: OutsideSystemCtx, checked: readonly Checked[]): boolean {
    const ready = checked.filter(({ desk }) => desk.state === 'ready')
    const missed = ready.filter(({ outcome }) => outcome.kind === 'missed').length
    const now = ctx.now().getTime()
    if (!isMassMiss({ checked: ready.length, missed })) {
      this.#suspectSince = undefined
      return false
    }
    if (this.#suspectSince === undefined)
      ctx.log.error({ checked: ready.length, missed, cell }, 'most desks of a cell do not answer')
    this.#suspectSince ??= now
    return now - this.#suspectSince < patienceMs
  }
}

async function check(ctx: OutsideSystemCtx, deps: CheckDeps, desk: store.WatchedRow): Promise<Outcome> {
  // Two machines have its key, so its answer proves nothing.
  if (desk.is_quarantined || !deps.isDeskUrl(desk.sidecar_url)) return { kind: 'missed' }
  const nonce = randomBytes(32).toString('base64url')
  const url = `${desk.sidecar_url.replace(/\/+$/, '')}${healthPath}?nonce=${nonce}`
  const received = await deps.outbound.call(ctx, {
    url,
    method: 'GET',
    headers: { accept: 'application/json' },
    limit_ms: deps.limit_ms,
    wants: 'body',
  })
  if ('failure' in received) return { kind: 'missed' }
  const read = readHealth({ desk_id: desk.id, public_key: desk.public_key, nonce }, received)
  if (read.kind !== 'answered') return { kind: read.kind }
  return { kind: 'answered', version: read.health.version, digest: read.health.digest }
}

/** More misses than that say nothing new. */
const missesNoted = 3

function isNews(desk: store.WatchedRow, { kind }: Outcome, next: NextHealth): boolean {
  if (next.state !== desk.state || !desk.is_checked || next.is_upgraded) return true
  if (kind === 'answered')
    return (
      !desk.has_answered || desk.misses > 0 || desk.is_misrouted || desk.is_stale || desk.version === null
    )
  return next.misses <= missesNoted || (kind === 'misrouted' && !desk.is_misrouted)
}

async function note(
  ctx: OutsideSystemCtx,
  fence: string,
  desk: store.WatchedRow,
  { kind }: Outcome,
  next: NextHealth,
): Promise<void> {
  const { id, brand_id, generation } = desk
  await ctx.forBrand(brand_id).tx(async (ctx) => {
    const isWritten = await store.updateFound(ctx, { id, generation, cell, fence, kind, ...next })
    if (!isWritten || next.state === desk.state) return
    const type = next.state === 'ready' ? 'desk.reached' : 'desk.lost'
    await ctx.emit({ type, subject_id: id, data: { workstation_id: id, status: next.state } })
  })
}
