import type { BrandTx } from '#platform/ctx/ctx.ts'
import * as store from './agent-tokens.store.ts'
import { factsOf } from './tokens.service.ts'

/**
 * All tokens of an agent, whoever holds them. What they have issued belongs to the same agent. The agent is locked, so
 * no other one is issued meanwhile.
 */
export async function revokeTokensOf(ctx: BrandTx, agent_id: string): Promise<void> {
  await store.lockHoldersOf(ctx, agent_id)
  for (const { id, ...token } of await store.updateRevokedOf(ctx, agent_id)) {
    await ctx.audit({ action: 'token.revoked', target: `token:${id}`, from: factsOf(token), to: null })
  }
}
