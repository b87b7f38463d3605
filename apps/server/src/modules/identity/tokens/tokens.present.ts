import type { Token } from '@crewhall/contracts/identity/tokens.ts'
import type { TokenRow } from './tokens.store.ts'

export function presentToken(row: TokenRow): Token {
  const {
    id,
    name,
    person_id,
    person_name,
    last_four,
    scopes,
    expires_at,
    last_used_on,
    created_at,
    agent,
    agent_id,
  } = row
  const person = { id: person_id, name: person_name }
  return { id, name, person, last_four, scopes, expires_at, last_used_on, created_at, agent, agent_id }
}
