import type { Kept, ProposalKind, ProposalState } from '@crewhall/contracts/memory/proposal-fields.ts'
import { keepMissing, keepUnwanted } from '@crewhall/contracts/memory/refusals.ts'

export interface Verdict {
  readonly state: Exclude<ProposalState, 'open'>
  readonly keep: Kept | undefined
}
interface Asked {
  readonly kind: ProposalKind
  readonly state: ProposalState
  readonly kept: Kept | null
}

/** What is wrong with a verdict; undefined if it can be carried out. */
export function faultOf({ kind }: Asked, { state, keep }: Verdict) {
  if (state === 'rejected') return undefined
  if (kind === 'conflict') return keep === undefined ? keepMissing() : undefined
  return keep === undefined ? undefined : keepUnwanted()
}

/** Of a proposal that is decided: the same verdict again changes nothing, and another one comes too late. */
export const isRepeated = (proposal: Asked, { state, keep }: Verdict): boolean =>
  proposal.state === state && (state === 'rejected' || proposal.kept === (keep ?? null))
