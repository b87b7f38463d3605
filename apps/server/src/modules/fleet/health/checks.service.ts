import { randomUUID } from 'node:crypto'
import type { EventListener, OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import type { DueTimes } from '#platform/redis/due-times.ts'
import type { Canary } from './canary.ts'
import { type CheckDeps, type Checked, checkDesk } from './check.service.ts'
import * as store from './checks.store.ts'
import { nextHealth } from './health.rules.ts'
import { MissWindow } from './miss-window.ts'
import { isNews, isOnlyHeard, noteFound } from './notes.service.ts'

export interface PollerDeps extends CheckDeps {
  /** Which of the cells. */
  readonly cell: number
  readonly due: DueTimes
  readonly canary: Canary
  readonly metrics: Pick<Metrics, 'desk_checks' | 'desk_check_late_seconds'>
  /** Between two checks of a desk. */
  readonly interval_ms: number
}

/** How often all desks are looked through for some that are not in the list. Events add them at once. */
const compareMs = 10 * 60_000
const comparedPage = 1000
/** How often desks are looked for that were never checked: Redis may have been away when an event would have added them. */
const seekMs = 60_000
/** A cell is free this long after its holder was last heard, which says every few seconds that it is there. */
const holdSeconds = 20
const renewMs = 5000
/** Checks under way. A desk that does not answer takes a place for as long as the limit, and delays nobody else. */
const places = 1000
/** Begun at one look, so that what has piled up is not begun all at once. */
const atOnce = 500
const writers = 4

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

/** What a process knows of its cell for as long as it holds it. */
class Hold {
  readonly fence: string
  renewed_at = performance.now()
  /** Those that were asked before. The first miss of a desk may be ours: we have just come up. */
  asked = new Set<string>()
  /** Those whose check is under way or not yet noted: a second one would start from a row that is old. */
  readonly busy = new Set<string>()
  compared_at = Number.NEGATIVE_INFINITY
  sought_at = Number.NEGATIVE_INFINITY
  readonly window: MissWindow
  done: Checked[] = []

  constructor(fence: string, interval_ms: number) {
    this.fence = fence
    this.window = new MissWindow(interval_ms)
  }
}

/** Checks the desks of a cell while it holds the cell. */
export class Checks {
  readonly #deps: PollerDeps
  readonly #holder = randomUUID()
  #hold: Hold | undefined
  #running = 0
  #isMute = false
  #isShut = false

  constructor(deps: PollerDeps) {
    this.#deps = deps
  }

  /** Notes what was found since the last look, and begins with whoever is due. Waits for no check. */
  async look(ctx: OutsideSystemCtx): Promise<void> {
    const hold = await this.#renew(ctx)
    if (!hold) return
    await this.#conclude(ctx, hold)
    const { due, interval_ms, metrics } = this.#deps
    const room = Math.min(atOnce, places - this.#running)
    const now = ctx.now()
    const taken = await due.take(now, room, interval_ms)
    if (!taken) hold.asked = new Set()
    if (!taken || now.getTime() - hold.compared_at >= compareMs) await this.#fill(ctx, hold)
    else if (now.getTime() - hold.sought_at >= seekMs) await this.#addUnchecked(ctx, hold)
    if (!taken || taken.length === 0) return
    const free = taken.filter(({ member }) => !hold.busy.has(member))
    for (const { late_ms } of free) metrics.desk_check_late_seconds.observe(late_ms / 1000)
    const members = free.map(({ member }) => member)
    // Whoever is asked for again while it is being asked has its turn afterwards.
    for (const { member } of taken) if (hold.busy.has(member)) await due.hurry(member, now)
    if (members.length > 0) await this.#begin(ctx, hold, members)
  }

  /** Lets another process begin at once. */
  async leave(ctx: OutsideSystemCtx): Promise<void> {
    const hold = this.#hold
    this.#hold = undefined
    if (hold) await store.updateLeft(ctx, { cell: this.#deps.cell, holder: this.#holder })
  }

  async #renew(ctx: OutsideSystemCtx): Promise<Hold | undefined> {
    const now = performance.now()
    if (this.#hold && now - this.#hold.renewed_at < renewMs) return this.#hold
    const { cell, interval_ms } = this.#deps
    const held = await store.updateHold(ctx, { cell, holder: this.#holder, seconds: holdSeconds })
    if (held?.fence !== this.#hold?.fence) this.#hold = held && new Hold(held.fence, interval_ms)
    if (this.#hold) this.#hold.renewed_at = now
    return this.#hold
  }

  async #fill(ctx: OutsideSystemCtx, hold: Hold): Promise<void> {
    const { due, interval_ms } = this.#deps
    const now = ctx.now()
    let after: store.DeskPlace | undefined = { brand_id: 0, id: '00000000-0000-0000-0000-000000000000' }
    while (after) {
      const page: store.DeskPlace[] = await store.listPollable(ctx, after, comparedPage)
      await due.fill(
        page.map(({ brand_id, id }) => placeOf(brand_id, id)),
        now,
        interval_ms,
      )
      after = page.length === comparedPage ? page.at(-1) : undefined
    }
    await due.markFilled()
    hold.compared_at = now.getTime()
    hold.sought_at = now.getTime()
  }

  async #addUnchecked(ctx: OutsideSystemCtx, hold: Hold): Promise<void> {
    const now = ctx.now()
    const places = await store.listUnchecked(ctx, comparedPage)
    const members = places.map(({ brand_id, id }) => placeOf(brand_id, id))
    await this.#deps.due.fill(members, now, 0)
    hold.sought_at = now.getTime()
  }

  async #begin(ctx: OutsideSystemCtx, hold: Hold, members: readonly string[]): Promise<void> {
    const desks = await store.listWatched(ctx, members.map(parsePlace))
    const live = new Set(desks.map(({ brand_id, id }) => placeOf(brand_id, id)))
    const gone = members.filter((member) => !live.has(member))
    for (const member of gone) hold.asked.delete(member)
    await this.#deps.due.remove(gone)
    for (const desk of desks) this.#check(ctx, hold, desk)
  }

  #check(ctx: OutsideSystemCtx, hold: Hold, desk: store.WatchedRow): void {
    const place = placeOf(desk.brand_id, desk.id)
    this.#running += 1
    hold.busy.add(place)
    checkDesk(ctx, this.#deps, desk)
      .then((checked) => {
        hold.done.push(checked)
        this.#deps.metrics.desk_checks.inc({
          outcome: checked.is_void ? 'void' : checked.outcome.kind,
          was: desk.state === 'ready' ? 'ready' : 'other',
        })
      })
      .catch((error) => {
        hold.busy.delete(place)
        ctx.log.error({ error, desk_id: desk.id }, 'could not check a desk')
      })
      .finally(() => {
        this.#running -= 1
      })
  }

  async #conclude(ctx: OutsideSystemCtx, hold: Hold): Promise<void> {
    const done = hold.done.splice(0)
    this.#tellShut(ctx, done)
    try {
      await this.#note(
        ctx,
        hold,
        done.filter(({ is_void }) => !is_void),
      )
    } finally {
      for (const { desk } of done) hold.busy.delete(placeOf(desk.brand_id, desk.id))
    }
  }

  /** Once: it may be so for all of them. */
  #tellShut(ctx: OutsideSystemCtx, done: readonly Checked[]): void {
    const shut = done.find(({ is_shut }) => is_shut)
    if (shut && !this.#isShut)
      ctx.log.error({ cell: this.#deps.cell }, 'the gate of the mesh is closed, so desks are not checked')
    if (done.length > 0) this.#isShut = shut !== undefined
  }

  async #note(ctx: OutsideSystemCtx, hold: Hold, checked: readonly Checked[]): Promise<void> {
    if (checked.length === 0) return
    const missesCount = this.#isOurFault(ctx, hold, checked) ? false : await this.#canarySings(ctx, checked)
    const found = checked.filter(({ desk, outcome }) => {
      const place = placeOf(desk.brand_id, desk.id)
      const isKnown = hold.asked.has(place)
      hold.asked.add(place)
      return outcome.kind !== 'missed' || (missesCount && isKnown)
    })
    const news = found
      .map((each) => ({ ...each, next: nextHealth(each.desk, each.outcome) }))
      .filter(({ desk, outcome, next }) => isNews(desk, outcome, next))
    const cell = { cell: this.#deps.cell, fence: hold.fence }
    const { heard = [], rest = [] } = Object.groupBy(news, ({ desk, outcome, next }) =>
      isOnlyHeard(desk, outcome, next) ? 'heard' : 'rest',
    )
    await store.updateHeard(
      ctx,
      cell,
      heard.map(({ desk }) => desk),
    )
    // One iterator for all writers, so that each takes what nobody has taken yet.
    const left = rest.values()
    const writer = async () => {
      for (const each of left) await noteFound(ctx, cell, each)
    }
    await Promise.all(Array.from({ length: writers }, writer))
  }

  /**
   * So many misses at once are rather a fault of the line than of so many desks. Only desks that were ready count: those
   * that are known to be away, however many a workspace has, say nothing about the line.
   */
  #isOurFault(ctx: OutsideSystemCtx, { window }: Hold, checked: readonly Checked[]): boolean {
    const ready = checked.filter(({ desk }) => desk.state === 'ready')
    const missed = ready.filter(({ outcome }) => outcome.kind === 'missed').length
    const found = window.add({ at_ms: ctx.now().getTime(), checked: ready.length, missed })
    if (found.is_new)
      ctx.log.error(
        { checked: found.checked, missed: found.missed, cell: this.#deps.cell },
        'most desks of a cell do not answer',
      )
    return !found.counts
  }

  async #canarySings(ctx: OutsideSystemCtx, checked: readonly Checked[]): Promise<boolean> {
    if (checked.every(({ outcome }) => outcome.kind !== 'missed')) return true
    const sings = await this.#deps.canary.sings(ctx)
    if (!sings && !this.#isMute)
      ctx.log.error({ cell: this.#deps.cell }, 'the canary of health checks does not answer')
    this.#isMute = !sings
    return sings
  }
}
