export {
  addMemory,
  flagConflict,
  holdMemories,
  type Outcome,
  observeAgain,
  type RejectReason,
  type Surroundings,
  supersede,
} from './automation/automation.service.ts'
export {
  listNeighbours,
  listOwnTexts,
  lookAround,
  type Neighbour,
  type OwnTexts,
} from './automation/neighbours.service.ts'
export type { Origin } from './automation/origin.rules.ts'
export { listWriters, mayRollBack, type RolledBack, rollBack } from './automation/rollback.service.ts'
export { exchangeSection } from './export/desk-section.service.ts'
export type { Draft } from './memories/change.rules.ts'
export { type CallLimit, callLimits } from './memory.ports.ts'
export { type Filed, fileProposal, type NewProposal } from './review/proposals.service.ts'
