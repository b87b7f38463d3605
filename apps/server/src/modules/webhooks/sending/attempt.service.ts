import { setTimeout } from 'node:timers/promises'
import type { BrandCtx, OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import { Outage } from '#platform/outage/outage.ts'
import type { Outbound } from '#platform/outbound/outbound.ts'
import { signaturesOf } from '../endpoints/signing-secret.ts'
import { nextWaitSeconds } from './ladder.rules.ts'
import { type Came, deriveOutcome, type Outcome } from './outcome.rules.ts'
import type { ClaimedEndpoint, DueDelivery } from './sending.store.ts'
import * as store from './sending.store.ts'

export interface Sender {
  readonly outbound: Outbound
  readonly endpoint: ClaimedEndpoint
  /** Those that sign, the newest first. */
  readonly secrets: readonly string[]
  readonly taken_back: AbortSignal
}

const limitMs = 15_000

/** Sends a delivery once and notes what came of it. Undefined when it was taken back. */
export async function attempt(
  ctx: OutsideBrandCtx,
  sender: Sender,
  delivery: DueDelivery,
): Promise<Outcome | undefined> {
  const began = performance.now()
  const came = await send(ctx, sender, delivery)
  const duration_ms = Math.round(performance.now() - began)
  // A crash here sends it again, under the same id: at least once is what is promised.
  await ctx.faultPoint('webhooks.sent')
  if (!came) return undefined
  const outcome = deriveOutcome(came, ctx.now().getTime())
  await note(ctx, sender.endpoint, delivery, { ...outcome, duration_ms })
  return outcome
}

async function send(
  ctx: OutsideBrandCtx,
  { outbound, endpoint, secrets, taken_back }: Sender,
  { id, payload }: DueDelivery,
): Promise<Came | undefined> {
  if (secrets.length === 0) return { failure: 'secret' }
  const timestamp = Math.floor(ctx.now().getTime() / 1000)
  const result = await outbound.call(ctx, {
    url: endpoint.url,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Crewhall-Webhooks/1',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signaturesOf(secrets, { id, timestamp, body: payload }),
    },
    body: payload,
    limit_ms: limitMs,
    signal: taken_back,
    wants: 'status',
  })
  if (!('failure' in result)) return { status: result.status, retry_after: result.headers['retry-after'] }
  if (result.failure === 'aborted') return undefined
  // Nobody reads the body of an answer, so it is never too large.
  return { failure: result.failure === 'too_large' ? 'protocol' : result.failure }
}

async function note(
  ctx: BrandCtx,
  { id: webhook_id }: ClaimedEndpoint,
  delivery: DueDelivery,
  outcome: Outcome & { readonly duration_ms: number },
): Promise<void> {
  const { status, duration_ms } = outcome
  if (outcome.kind === 'delivered') {
    await untilNoted(() => store.updateDelivered(ctx, delivery, { status, error: null, duration_ms }))
    return
  }
  if (outcome.kind === 'gone') {
    await ctx.tx(async (ctx) => {
      // The endpoint before the delivery: the global lock order.
      const disabled = await store.updateDisabled(ctx, webhook_id)
      await store.updateFailed(ctx, delivery, { status, error: 'gone', duration_ms, wait_seconds: null })
      if (!disabled) return
      const to = { enabled: false, reason: 'gone' }
      await ctx.audit({ action: 'webhook.disabled', target: `webhook:${webhook_id}`, from: null, to })
    })
    return
  }
  const wait = nextWaitSeconds(delivery.id, delivery.rung + 1)
  const wait_seconds = wait === undefined ? null : Math.max(wait, outcome.wait_seconds)
  await store.updateFailed(ctx, delivery, { status, error: outcome.error, duration_ms, wait_seconds })
}

/** Less than a lease: after that another sender may have it. */
const noteMs = 8000
const notePauseMs = 250

/** What was received and is not noted is sent again, so a database that is away or locked for a moment is waited for. */
async function untilNoted(note: () => Promise<unknown>): Promise<void> {
  for (const began = performance.now(); ; ) {
    try {
      await note()
      return
    } catch (error) {
      if (!(error instanceof Outage) || performance.now() - began > noteMs) throw error
    }
    await setTimeout(notePauseMs)
  }
}
