import { randomUUID } from 'node:crypto'
import { wakeWebhook } from '@crewhall/contracts/webhooks/jobs.ts'
import type { BrandCtx, SystemCtx } from '#platform/ctx/ctx.ts'
import type { Outbound } from '#platform/outbound/outbound.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import { openSecrets } from '../endpoints/signing-secret.ts'
import { attempt, type Sender } from './attempt.service.ts'
import type { Dispatcher } from './dispatcher.ts'
import { nextRestSeconds } from './ladder.rules.ts'
import type { ClaimedEndpoint, DueDelivery } from './sending.store.ts'
import * as store from './sending.store.ts'

export interface SendingDeps {
  readonly outbound: Outbound
  readonly secret_box: SecretBox
  readonly dispatcher: Dispatcher
}

/** A sender that has not been heard of for this long is dead, and another one may start. */
const leaseSeconds = 60
/** Within the lease, with room for the attempt that was started last. */
const roundMs = 30_000
const takeLimit = 40
/** Boards that are served at the same time; each of them in its own order. */
const lanes = 4

/** Makes sure that somebody sends what is due to this endpoint, and does not wait for it. */
export async function wakeSender(
  ctx: SystemCtx,
  deps: SendingDeps,
  { brand_id, webhook_id }: { brand_id: number; webhook_id: string },
): Promise<void> {
  const brand = ctx.forBrand(brand_id)
  const sender = randomUUID()
  await deps.dispatcher.start(
    () => store.claimEndpoint(brand, { webhook_id, sender, seconds: leaseSeconds }),
    async (endpoint, signal) => {
      try {
        await sendRound(brand, deps, { endpoint, sender, signal })
      } catch (error) {
        // The lease runs out, and what is left is found by the next wake-up.
        ctx.log.warn({ error, webhook_id }, 'sending to a webhook was broken off')
      }
    },
  )
}

interface Claimed {
  readonly endpoint: ClaimedEndpoint
  readonly sender: string
  readonly signal: AbortSignal
}

async function sendRound(ctx: BrandCtx, deps: SendingDeps, { endpoint, sender, signal }: Claimed) {
  const sealed = [endpoint.secret, endpoint.old_secret]
  const secrets = openSecrets(deps.secret_box, ctx.brandId, endpoint.id, sealed)
  const round = new Round(ctx, { outbound: deps.outbound, endpoint, secrets, signal })
  for (let isOpen = true; isOpen; ) {
    const due = await store.listDue(ctx, endpoint.id, takeLimit)
    isOpen = due.length > 0 && (await round.run(due))
  }
  const { failures, rest_seconds } = round
  await ctx.tx(async (ctx) => {
    const webhook_id = endpoint.id
    if (!(await store.updateReleased(ctx, webhook_id, { sender, failures, rest_seconds }))) return
    const wake = { brand_id: ctx.brandId, webhook_id }
    // Looked for under the lock of the endpoint: a wake-up that found it taken has seen nothing that this does not.
    if (rest_seconds !== null) {
      await ctx.enqueue(wakeWebhook, wake, { run_at: new Date(ctx.now().getTime() + rest_seconds * 1000) })
    } else if (await store.hasDue(ctx, webhook_id)) await ctx.enqueue(wakeWebhook, wake)
  })
}

/** What one sender does with one endpoint, as long as somebody is there. */
class Round {
  readonly #ctx: BrandCtx
  readonly #sender: Sender
  readonly #until: number
  #isOver = false
  /** Attempts in a row that found nobody there. */
  failures: number
  rest_seconds: number | null = null

  constructor(ctx: BrandCtx, sender: Sender) {
    this.#ctx = ctx
    this.#sender = sender
    this.#until = ctx.now().getTime() + roundMs
    this.failures = sender.endpoint.failures
  }

  /** Answers whether it may go on with more. */
  async run(due: readonly DueDelivery[]): Promise<boolean> {
    const [first, ...rest] = due
    // Whoever was down is asked with one delivery before it gets many.
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
    return !this.#isOver && !this.#sender.signal.aborted && this.#ctx.now().getTime() <= this.#until
  }

  async #try(delivery: DueDelivery): Promise<void> {
    if (!this.#mayGoOn()) return
    const outcome = await attempt(this.#ctx, this.#sender, delivery)
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
