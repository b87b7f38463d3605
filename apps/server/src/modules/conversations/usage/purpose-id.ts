import { createHash } from 'node:crypto'

/**
 * What is spent is counted by source, and consolidation and recall have none: each agent has an id for either in its
 * place, which no source can have (version 8, made from the name).
 */
export function purposeIdOf(purpose: 'consolidation' | 'recall', agent_id: string): string {
  const hex = createHash('sha256').update(`${purpose}\n${agent_id}`).digest('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}
