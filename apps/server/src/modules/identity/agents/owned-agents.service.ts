import { agentNotOwned, agentRetired } from '@crewhall/contracts/identity/refusals.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import * as store from './agents.store.ts'

export interface AgentFacts {
  readonly agent_id: string
  readonly name: string
  readonly status: 'active' | 'retired'
}

/**
 * MEMO-37: an agent of this workspace, for reads. One refusal for all others, from one statement, so that nobody learns
 * which ids exist elsewhere. What a retired agent has left can still be read.
 */
export async function findAgent(ctx: BrandCtx, agent_id: string): Promise<AgentFacts> {
  return owned(await store.findAgent(ctx, agent_id))
}

/** The same for what is written under an agent: it is active, and a retirement waits for the commit. */
export async function holdAgent(ctx: BrandTx, agent_id: string): Promise<AgentFacts> {
  const agent = owned(await store.lockAgent(ctx, agent_id))
  if (agent.status === 'retired') throw agentRetired()
  return agent
}

/** Which of these are active agents of the workspace. */
export const listAgentsAmong = (ctx: BrandCtx, ids: readonly string[]): Promise<string[]> =>
  store.listActiveAmong(ctx, ids)

function owned(row: store.AgentRow | undefined): AgentFacts {
  if (!row) throw agentNotOwned()
  const { agent_id, name, status } = row
  return { agent_id, name, status }
}
