import type { Agent } from '@crewhall/contracts/identity/agents.ts'
import {
  agentIdTaken,
  agentLimit,
  agentNotFound,
  unknownAgentCursor,
} from '@crewhall/contracts/identity/refusals.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { endService } from '../services/services.service.ts'
import { updateServiceName } from '../services/services.store.ts'
import { revokeTokensOf } from '../tokens/agent-tokens.service.ts'
import { presentAgent } from './agents.present.ts'
import * as store from './agents.store.ts'

const maxActive = 5000

interface AgentQuery {
  readonly status?: string | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

export async function listAgentsOf(
  ctx: BrandCtx,
  cursors: Cursors,
  { status, limit, cursor }: AgentQuery,
): Promise<{ items: Agent[]; next_cursor: string | null }> {
  const list = `agents:${ctx.brandId}:${status ?? ''}`
  const after = cursor === undefined ? '' : cursors.read(list, cursor)
  if (after === undefined) throw unknownAgentCursor()
  const rows = await store.listAgentPage(ctx, { status, after, limit: limit + 1 })
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return { items: page.map(presentAgent), next_cursor: last ? cursors.issue(list, last.agent_id) : null }
}

export async function getAgent(ctx: BrandCtx, agent_id: string): Promise<Agent> {
  return presentAgent(known(await store.findAgent(ctx, agent_id)))
}

/** By the workspace, or by a module that takes on agents for it. */
export const createAgent = (
  ctx: BrandCtx,
  { agent_id, name, origin = 'created' }: Pick<Agent, 'agent_id' | 'name'> & Partial<Pick<Agent, 'origin'>>,
): Promise<Agent> =>
  ctx.tx(async (ctx) => {
    await store.lockAgents(ctx)
    if ((await store.countActiveAgents(ctx)) >= maxActive) throw agentLimit()
    const created_by = ctx.actor.kind === 'person' ? ctx.actor.person_id : null
    const row = await store.insertAgent(ctx, { agent_id, name, origin, created_by })
    if (!row) throw agentIdTaken()
    await ctx.emit({ type: 'agent.created', subject_id: agent_id, data: { agent_id, origin } })
    await ctx.audit({ action: 'agent.created', target: targetOf(row), from: null, to: { name, origin } })
    return presentAgent(row)
  })

export const renameAgent = (ctx: BrandCtx, agent_id: string, name: string): Promise<Agent> =>
  ctx.tx(async (ctx) => {
    const old = known(await store.lockAgentForChange(ctx, agent_id))
    if (old.name === name) return presentAgent(old)
    const row = known(await store.updateName(ctx, agent_id, name))
    await updateServiceName(ctx, agent_id, name)
    await ctx.emit({ type: 'agent.renamed', subject_id: agent_id, data: { agent_id } })
    const change = { from: { name: old.name }, to: { name } }
    await ctx.audit({ action: 'agent.renamed', target: targetOf(row), ...change })
    return presentAgent(row)
  })

/** Its tokens end in the same commit. A retirement cannot be undone, so a second one finds nothing to do. */
export const retireAgent = (ctx: BrandCtx, agent_id: string): Promise<Agent> =>
  ctx.tx(async (ctx) => {
    const old = known(await store.lockAgentForChange(ctx, agent_id))
    if (old.status === 'retired') return presentAgent(old)
    await revokeTokensOf(ctx, agent_id)
    await endService(ctx, agent_id)
    // After the tokens: both raise the epoch of the workspace, which others lock after members and tokens.
    const row = known(await store.updateRetired(ctx, agent_id))
    await ctx.emit({ type: 'agent.retired', subject_id: agent_id, data: { agent_id } })
    const change = { from: { status: old.status }, to: { status: row.status } }
    await ctx.audit({ action: 'agent.retired', target: targetOf(row), ...change })
    return presentAgent(row)
  })

const targetOf = ({ agent_id }: store.AgentRow): string => `agent:${agent_id}`

function known(row: store.AgentRow | undefined): store.AgentRow {
  if (!row) throw agentNotFound()
  return row
}
