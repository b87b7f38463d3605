import { randomUUID } from 'node:crypto'
import type { OutsideBrandCtx, OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import type { Dispatcher, Slot } from '#platform/jobs/dispatcher.ts'
import type { Outbound } from '#platform/outbound/outbound.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import type { Hold } from '#platform/timeline/hold.ts'
import { openSecrets } from '../endpoints/signing-secret.ts'
import { attempt, type Sender } from './attempt.service.ts'
import { nextRestSeconds } from './ladder.rules.ts'
import { isSlowLatency, nextLatencyMs } from './latency.rules.ts'
import type { AwakeEndpoint, ClaimedEndpoint, DueDelivery } from './sending.store.ts'
import * as store from './sending.store.ts'

export interface SendingDeps {
  readonly outbound: Outbound
  readonly secret_box: SecretBox
  readonly dispatcher: Dispatcher
  readonly hold: Hold
  /** The process ends, and has waited for long enough. */
  readonly taken_back: AbortSignal
}

/** A sender that has not been heard of for this long is dead, and another one may start. */
const leaseSeconds = 15
const renewMs = 5000
/** After this, settings are reloaded and others get their turn. */
const roundMs = 30_000
const takeLimit = 40
/** Boards that are served at the same time; each of them in its own order. */
const lanes = 4

/** Sends what is due to this endpoint as soon as there is a place for it, and does not wait for that. */
export function startSender(ctx: OutsideSystemCtx, deps: SendingDeps, awake: AwakeEndpoint): void {
  const { brand_id, webhook_id, url, is_slow } = awake
  const brand = ctx.forBrand(brand_id)
  const sender = randomUUID()
  deps.dispatcher.start({
    key: webhook_id,
    wanted: { owner: String(brand_id), receiver: URL.parse(url)?.host ?? url, is_slow },
    claim: () => store.claimEndpoint(brand, { webhook_id, sender, seconds: leaseSeconds }),
    work: (endpoint, turn) => sendRound(brand, deps, { endpoint, sender, is_slow, ...turn }),
    // The lease runs out, and what is left is found by the next look.
    failed: (error) => ctx.log.warn({ error, webhook_id }, 'webhook delivery interrupted'),
  })
}

interface Claimed extends Slot {
  readonly endpoint: ClaimedEndpoint
  readonly sender: string
  readonly is_slow: boolean
}

async function sendRound(ctx: OutsideBrandCtx, deps: SendingDeps, claimed: Claimed): Promise<void> {
  const { endpoint, sender, signal, place, is_slow } = claimed
  const sealed = [endpoint.secret, endpoint.old_secret]
  const secrets = openSecrets(deps.secret_box, ctx.brandId, endpoint.id, sealed)
  const { outbound, taken_back } = deps
  const round = new Round(ctx, { outbound, endpoint, secrets, taken_back }, { place, is_slow, signal })
  const renewing = setInterval(() => {
    store
      .updateLease(ctx, { webhook_id: endpoint.id, sender, seconds: leaseSeconds })
      .catch((error) => ctx.log.warn({ error, webhook_id: endpoint.id }, 'could not renew a webhook lease'))
  }, renewMs)
  try {
    for (let isOpen = true; isOpen; ) {
      const due = await store.listDue(ctx, endpoint.id, takeLimit)
      isOpen = due.length > 0 && (await round.run(due))
    }
  } finally {
    clearInterval(renewing)
  }
  const { failures, rest_seconds, latency_ms } = round
  const state = { failures, rest_seconds, latency_ms, is_slow: isSlowLatency(latency_ms) }
  await store.updateReleased(ctx, endpoint.id, { sender, ...state })
}

/** One sender working on one endpoint, while the receiver responds. */
class Round {
  readonly #ctx: OutsideBrandCtx
  readonly #sender: Sender
  readonly #held: Slot & { readonly is_slow: boolean }
  readonly #until: number
  #isOver = false
  /** Attempts in a row that found nobody there. */
  failures: number
  rest_seconds: number | null = null
  latency_ms: number

  constructor(ctx: OutsideBrandCtx, sender: Sender, held: Slot & { is_slow: boolean }) {
    this.#ctx = ctx
    this.#sender = sender
    this.#held = held
    this.latency_ms = sender.endpoint.latency_ms
    this.#until = ctx.now().getTime() + roundMs
    this.failures = sender.endpoint.failures
  }

  /** Returns whether it may continue. */
  async run(due: readonly DueDelivery[]): Promise<boolean> {
    const [first, ...rest] = due
    // A receiver that was down gets one delivery as a probe before it gets many.
    const isProbe = this.failures > 0 && first !== undefined
    if (isProbe) await this.#try(first)
    const boards = Map.groupBy(isProbe ? rest : due, ({ board_id }) => board_id).values()
    const lane = async () => {
      for (const board of boards) for (const delivery of board) await this.#try(delivery)
    }
    await Promise.all(Array.from({ length: lanes }, lane))
    return this.#mayGoOn()
  }

  #mayGoOn(): boolean {
    const { place, is_slow, signal } = this.#held
    // A receiver that turns out to be slow continues at a place for slow ones.
    const mustLeave = place.is_wanted || (!is_slow && isSlowLatency(this.latency_ms))
    const isOver = this.#isOver || mustLeave || signal.aborted
    return !isOver && this.#ctx.now().getTime() <= this.#until
  }

  async #try(delivery: DueDelivery): Promise<void> {
    if (!this.#mayGoOn()) return
    const began = performance.now()
    const outcome = await attempt(this.#ctx, this.#sender, delivery)
    if (outcome) this.latency_ms = nextLatencyMs(this.latency_ms, performance.now() - began)
    if (!outcome || outcome.kind === 'gone') this.#isOver = true
    else if (outcome.kind === 'delivered' || !outcome.is_down)
      this.failures = this.#isOver ? this.failures : 0
    else {
      // Several lanes may find the same trouble; it counts once.
      if (!this.#isOver) this.failures += 1
      this.#isOver = true
      this.rest_seconds = Math.max(
        this.rest_seconds ?? 0,
        nextRestSeconds(this.failures),
        outcome.wait_seconds,
      )
    }
  }
}
