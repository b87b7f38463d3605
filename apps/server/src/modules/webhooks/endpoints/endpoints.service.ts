import { randomUUID } from 'node:crypto'
import * as refused from '@crewhall/contracts/webhooks/refusals.ts'
import type { Webhook } from '@crewhall/contracts/webhooks/webhooks.ts'
import { areBoards } from '#modules/boards'
import type { BrandCtx, BrandTx, OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { Outbound } from '#platform/outbound/outbound.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import { insertArrival } from '../outbox/outbox.store.ts'
import { auditedSettings, presentWebhook } from './endpoints.present.ts'
import * as store from './endpoints.store.ts'
import { newSigningSecret, sealSecret } from './signing-secret.ts'

export interface EndpointDeps {
  readonly outbound: Outbound
  readonly secret_box: SecretBox
}

/** How long the secret before the last rotation still signs. */
const overlapHours = 24

interface Given {
  readonly url?: string | undefined
  readonly events?: readonly string[] | undefined
  readonly board_ids?: readonly string[] | null | undefined
  readonly description?: string | undefined
  readonly enabled?: boolean | undefined
}

export const listAllWebhooks = async (ctx: BrandCtx): Promise<{ items: Webhook[] }> => ({
  items: (await store.listEndpoints(ctx, refused.maxWebhooks)).map(presentWebhook),
})

export async function getOneWebhook(ctx: BrandCtx, id: string): Promise<Webhook> {
  return presentWebhook(found(await store.findEndpoint(ctx, id)))
}

/** Asks the network, so it comes before the transaction that opens or changes a webhook. */
export async function judgeNewUrl(
  ctx: OutsideBrandCtx,
  { outbound }: EndpointDeps,
  url: string,
): Promise<void> {
  // Authorize the caller before any DNS query.
  await ctx.confirm()
  if (!(await outbound.mayCall(ctx, url))) throw refused.addressRefused()
}

export async function openWebhook(
  ctx: BrandCtx,
  { secret_box }: EndpointDeps,
  given: Given & { readonly url: string; readonly events: readonly string[] },
): Promise<Webhook & { secret: string }> {
  const { url, events, board_ids = null, description = '', enabled: is_enabled = true } = given
  const settings = { url, events, board_ids, description, is_enabled }
  return ctx.tx(async (ctx) => {
    await store.lockEndpoints(ctx)
    await refuseUnknownBoards(ctx, board_ids)
    if ((await store.countEndpoints(ctx)) >= refused.maxWebhooks) throw refused.tooManyWebhooks()
    const id = randomUUID()
    const secret = newSigningSecret()
    const sealed = sealSecret(secret_box, ctx.brandId, id, secret)
    const row = found(await store.insertEndpoint(ctx, id, { ...settings, secret: sealed }))
    await audit(ctx, 'created', id, null, auditedSettings(settings))
    return { ...presentWebhook(row), secret }
  })
}

/** An unknown webhook is refused before its URL is checked. */
export async function judgeChangedUrl(
  ctx: OutsideBrandCtx,
  deps: EndpointDeps,
  id: string,
  url: string | undefined,
): Promise<void> {
  const before = found(await store.findEndpoint(ctx, id))
  if (url !== undefined && url !== before.url) await judgeNewUrl(ctx, deps, url)
}

/** For a URL that has been checked. */
export const changeOneWebhook = (ctx: BrandCtx, id: string, given: Given): Promise<Webhook> =>
  ctx.tx(async (ctx) => {
    const old = found(await store.lockEndpoint(ctx, id))
    const { url = old.url, events = old.events, description = old.description } = given
    const { board_ids = old.board_ids, enabled: is_enabled = old.is_enabled } = given
    if (given.board_ids) await refuseUnknownBoards(ctx, given.board_ids)
    const settings = { url, events, board_ids, description, is_enabled }
    const row = found(await store.updateEndpoint(ctx, id, settings))
    // What waited while it was disabled or pointed to nowhere.
    if (is_enabled) await insertArrival(ctx, id)
    await audit(ctx, 'changed', id, auditedSettings(old), auditedSettings(settings))
    return presentWebhook(row)
  })

export const endWebhook = (ctx: BrandCtx, id: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    const row = found(await store.deleteEndpoint(ctx, id))
    await audit(ctx, 'deleted', id, auditedSettings(row), null)
  })

export const rotateOneSecret = (
  ctx: BrandCtx,
  { secret_box }: EndpointDeps,
  id: string,
): Promise<Webhook & { secret: string }> =>
  ctx.tx(async (ctx) => {
    const secret = newSigningSecret()
    const sealed = sealSecret(secret_box, ctx.brandId, id, secret)
    const row = found(await store.updateSecret(ctx, id, { secret: sealed, hours: overlapHours }))
    await audit(ctx, 'secret_rotated', id, null, { old_secret_until: row.old_secret_until })
    return { ...presentWebhook(row), secret }
  })

function found<Row>(row: Row | undefined): Row {
  if (!row) throw refused.webhookNotFound()
  return row
}

async function refuseUnknownBoards(ctx: BrandTx, ids: readonly string[] | null): Promise<void> {
  if (ids && !(await areBoards(ctx, ids))) throw refused.boardsUnknown()
}

const audit = (ctx: BrandTx, what: string, id: string, from: unknown, to: unknown): Promise<void> =>
  ctx.audit({ action: `webhook.${what}`, target: `webhook:${id}`, from, to })
