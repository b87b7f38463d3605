import { randomUUID } from 'node:crypto'
import {
  agentNotOwned,
  agentRetired,
  brandNotFound,
  scopeOutsideCeiling,
  serviceClosed,
  tokenLimit,
} from '@crewhall/contracts/identity/refusals.ts'
import type { Scope } from '@crewhall/contracts/scopes.ts'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import * as agents from '../agents/agents.store.ts'
import { holdAgent } from '../agents/owned-agents.service.ts'
import { newToken } from '../secrets.ts'
import { factsOf, keptOf, maxLive } from '../tokens/tokens.service.ts'
import * as tokens from '../tokens/tokens.store.ts'
import * as store from './services.store.ts'

/** As long as any token may last. It is renewed with what it is for, and ends with it. */
export const tokenDays = 366

/**
 * The service that an agent works as: a person without password, session and mail address, who is no member. One per
 * agent for good, so a second call finds the first one, and what was closed is opened again.
 */
export async function openService(
  ctx: BrandTx,
  agent_id: string,
): Promise<{ readonly person_id: number; readonly is_new: boolean }> {
  const agent = await agents.lockAgentForChange(ctx, agent_id)
  if (!agent) throw agentNotOwned()
  if (agent.status === 'retired') throw agentRetired()
  const found = await store.lockService(ctx, agent_id)
  if (found?.status === 'service') return { person_id: found.person_id, is_new: false }
  const person_id = found?.person_id ?? (await store.insertServicePerson(ctx, agent.name))
  if (person_id === undefined) throw new Error('no person was inserted')
  const opened = found
    ? await store.updateReopened(ctx, agent_id)
    : await store.insertService(ctx, { agent_id, person_id })
  if (opened === 0) throw brandNotFound()
  await ctx.audit({ action: 'service.opened', target: `agent:${agent_id}`, from: null, to: { person_id } })
  return { person_id, is_new: true }
}

interface Order {
  readonly agent_id: string
  readonly name: string
  readonly scopes: readonly Scope[]
}

export interface ServiceToken {
  readonly id: string
  /** Returned this once, and kept as a digest. */
  readonly token: string
}

/** A token of the agent that its service owns: whoever ordered it may leave. The workspace has to allow its scopes. */
export async function issueServiceToken(
  ctx: BrandTx,
  { agent_id, name, scopes: wanted }: Order,
): Promise<ServiceToken> {
  const { name: agent } = await holdAgent(ctx, agent_id)
  const service = await store.lockService(ctx, agent_id)
  if (service?.status !== 'service') throw serviceClosed()
  const { person_id } = service
  const ceiling = await tokens.findCeiling(ctx)
  const outside = wanted.filter((scope) => !ceiling.includes(scope))
  if (outside.length > 0) throw scopeOutsideCeiling(outside)
  if ((await tokens.listTokens(ctx, person_id, maxLive)).length >= maxLive) throw tokenLimit()
  const [id, token, scopes] = [randomUUID(), newToken(), [...new Set(wanted)]]
  const owned = { id, person_id, name, agent, agent_id, issued_by: null }
  await tokens.insertToken(ctx, { ...owned, ...keptOf(token), scopes, days: tokenDays })
  const to = { name, person_id, scopes, agent, agent_id }
  await ctx.audit({ action: 'token.issued', target: `token:${id}`, from: null, to })
  return { id, token }
}

/** Its tokens end in the same commit, in every process. What it did stays under its number. Bears repetition. */
export async function closeService(ctx: BrandTx, agent_id: string): Promise<void> {
  if (!(await agents.lockAgentForChange(ctx, agent_id))) throw agentNotOwned()
  await endService(ctx, agent_id)
}

/** The agent is locked. */
export async function endService(ctx: BrandTx, agent_id: string): Promise<void> {
  const service = await store.lockService(ctx, agent_id)
  if (service?.status !== 'service') return
  const { person_id } = service
  const revoked = await store.updateServiceRevoked(ctx, person_id)
  await store.updateClosed(ctx, agent_id)
  for (const { id, ...token } of revoked) {
    await ctx.audit({ action: 'token.revoked', target: `token:${id}`, from: factsOf(token), to: null })
  }
  await ctx.audit({ action: 'service.closed', target: `agent:${agent_id}`, from: { person_id }, to: null })
}
