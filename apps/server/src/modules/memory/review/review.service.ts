import {
  type MemoryProposal,
  type ProposalKind,
  type ProposalState,
  proposalKinds,
} from '@crewhall/contracts/memory/proposal-fields.ts'
import { memoryNotFound, proposalNotFound, unknownCursor } from '@crewhall/contracts/memory/refusals.ts'
import { findAgent } from '#modules/identity'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import type { Sweep } from '#platform/jobs/sweep.ts'
import { listProvenance } from '../automation/provenance.store.ts'
import { findMemory } from '../memories/memories.store.ts'
import { presentEvidence, presentProposal } from './proposals.present.ts'
import * as store from './proposals.store.ts'

interface ListQuery {
  readonly agent_id?: string | undefined
  readonly state: ProposalState
  readonly kind?: ProposalKind | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}
/** After every id that there is. */
const newest = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

export async function listProposalPage(ctx: BrandCtx, cursors: Cursors, query: ListQuery) {
  const { agent_id, state, kind, limit, cursor } = query
  const list = `memory-proposals:${ctx.brandId}`
  const before = cursor === undefined ? newest : cursors.read(list, cursor)
  if (before === undefined) throw unknownCursor()
  if (agent_id !== undefined) await findAgent(ctx, agent_id)
  const kinds = kind === undefined ? proposalKinds : [kind]
  const rows = await store.listProposals(ctx, agent_id, { states: [state], kinds, before, limit: limit + 1 })
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    proposals: page.map(presentProposal),
    next_cursor: last && rows.length > limit ? cursors.issue(list, last.id) : null,
  }
}

export async function getProposal(ctx: BrandCtx, id: string): Promise<MemoryProposal> {
  const row = await store.findProposal(ctx, id)
  if (!row) throw proposalNotFound()
  return presentProposal(row)
}

export async function getProvenance(ctx: BrandCtx, id: string) {
  if (!(await findMemory(ctx, id))) throw memoryNotFound()
  return { provenance: (await listProvenance(ctx, id)).map(presentEvidence) }
}

/** How long a decided proposal is kept, and with it the words it came from. */
const days = 90

export const proposalSweep: Sweep = {
  table: 'memory.proposals',
  bite: (ctx, limit) => store.deleteOldProposals(ctx, days, limit),
}
