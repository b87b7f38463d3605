import * as contract from '@crewhall/contracts/memory/proposals.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { handle } from '#platform/http/handle.ts'
import { approveProposal, rejectProposal } from './decision.service.ts'
import * as service from './review.service.ts'

export const reviewRoutes = (cursors: Cursors) => [
  handle(contract.listProposals, (ctx, { query }) => service.listProposalPage(ctx, cursors, query)),
  handle(contract.getProposal, (ctx, { params }) => service.getProposal(ctx, params.proposal_id)),
  handle(contract.approveProposal, (ctx, { params, body }) => approveProposal(ctx, params.proposal_id, body)),
  handle(contract.rejectProposal, (ctx, { params }) => rejectProposal(ctx, params.proposal_id)),
  handle(contract.listProvenance, (ctx, { params }) => service.getProvenance(ctx, params.memory_id)),
]
