import type { Scope } from '@crewhall/contracts/scopes.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import * as agents from '../agents/agents.store.ts'
import { lockSubscription } from '../plans/subscriptions.service.ts'
import { factsOf } from '../tokens/tokens.service.ts'
import { findCeiling } from '../tokens/tokens.store.ts'
import * as store from './service-tokens.store.ts'
import { tokenDays } from './services.service.ts'
import { lockService } from './services.store.ts'

/**
 * For a transaction that locks rows of its own before it changes tokens of a service: takes what those changes lock, in
 * the order of identity. It includes the row of the brand, whose epoch they raise.
 */
export async function holdService(ctx: BrandTx, agent_id: string): Promise<void> {
  await agents.lockAgent(ctx, agent_id)
  await lockService(ctx, agent_id)
  await lockSubscription(ctx)
}

/** What of these the workspace allows a token to have. */
export async function scopesWithin(ctx: BrandCtx, wanted: readonly Scope[]): Promise<Scope[]> {
  const ceiling = await findCeiling(ctx)
  return wanted.filter((scope) => ceiling.includes(scope))
}

/**
 * The token keeps these of its scopes and loses all others, in every process and with this commit. It never gets one that
 * it did not have. False for a token that has ended, or that belongs to no service.
 */
export async function narrowServiceToken(
  ctx: BrandTx,
  token_id: string,
  kept: readonly Scope[],
): Promise<boolean> {
  const token = await lockToken(ctx, token_id)
  if (!token) return false
  const scopes = token.scopes.filter((scope) => (kept as readonly string[]).includes(scope))
  if (scopes.length === token.scopes.length) return true
  await store.updateScopes(ctx, token_id, scopes)
  const change = { from: { scopes: token.scopes }, to: { scopes } }
  await ctx.audit({ action: 'token.narrowed', target: `token:${token_id}`, ...change })
  return true
}

/** It lasts as if it were issued now, and its secret stays. False for a token that has ended: nothing revives it. */
export async function renewServiceToken(ctx: BrandTx, token_id: string): Promise<boolean> {
  if (!(await lockToken(ctx, token_id))) return false
  const expires_at = await store.updateRenewed(ctx, token_id, tokenDays)
  await ctx.audit({ action: 'token.renewed', target: `token:${token_id}`, from: null, to: { expires_at } })
  return true
}

/** All tokens of the service of an agent but these. Safe to repeat. */
export async function revokeServiceTokens(
  ctx: BrandTx,
  agent_id: string,
  kept: readonly string[],
): Promise<void> {
  await agents.lockAgent(ctx, agent_id)
  const service = await lockService(ctx, agent_id)
  if (!service) return
  for (const { id, ...token } of await store.updateRevokedBut(ctx, service.person_id, kept)) {
    await ctx.audit({ action: 'token.revoked', target: `token:${id}`, from: factsOf(token), to: null })
  }
}

/** Agent, then service: a retirement locks them in that order. What has ended meanwhile is found missing. */
async function lockToken(ctx: BrandTx, token_id: string) {
  const found = await store.findServiceToken(ctx, token_id)
  if (!found) return undefined
  await agents.lockAgent(ctx, found.agent_id)
  await lockService(ctx, found.agent_id)
  return store.findServiceToken(ctx, token_id)
}
