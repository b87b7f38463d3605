import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import type { Actor as Caller } from '#platform/ctx/actor.ts'

/** Whom a change is recorded as made by. */
export function memoryActorOf(caller: Caller): Actor {
  if (caller.kind !== 'person') {
    const name = caller.kind === 'system' ? caller.name : 'platform'
    return { kind: 'system', id: name, name, on_behalf_of: null }
  }
  const { person_id, name, agent, agent_id, credential_id } = caller
  const person = { id: String(person_id), name }
  if (agent === null) return { kind: 'member', ...person, on_behalf_of: null }
  const known = agent_id === null ? {} : { agent_id }
  return { kind: 'agent', id: credential_id, name: agent, on_behalf_of: person, ...known }
}

/** A person, and not an agent with their token. */
export const isPersonActing = (caller: Caller): boolean => caller.kind === 'person' && caller.agent === null
