import type { Agent } from '@crewhall/contracts/identity/agents.ts'
import type { AgentRow } from './agents.store.ts'

export function presentAgent(row: AgentRow): Agent {
  const { agent_id, name, origin, status, created_by, created_at, updated_at, retired_at } = row
  return { agent_id, name, origin, status, created_by, created_at, updated_at, retired_at }
}
