import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import type { Actor as Caller, PersonActor } from '#platform/ctx/actor.ts'

/** The actor recorded for a change. With a token of an agent, that is the agent. */
export function boardActorOf(caller: Caller): Actor {
  if (caller.kind !== 'person') {
    const name = caller.kind === 'system' ? caller.name : 'platform'
    return { kind: 'system', id: name, name, on_behalf_of: null }
  }
  if (caller.agent !== null) return agentOf(caller, caller.agent)
  // An actor without a role in the workspace is a guest of one board.
  const kind = caller.role === null ? 'guest' : 'member'
  return { kind, id: String(caller.person_id), name: caller.name, on_behalf_of: null }
}

/**
 * Who works on a card. A token that names its worker speaks for an agent, whatever agent it is for; without a
 * name, two programs that share a token are one worker.
 */
export const workerActorOf = (caller: Caller, worker: string | undefined): Actor =>
  worker === undefined || caller.kind !== 'person' ? boardActorOf(caller) : agentOf(caller, worker)

/** Who continues running work: the worker that started it, unless another credential does. */
export function sameWorkerOf(caller: Caller, begun: Actor): Actor {
  const own = boardActorOf(caller)
  const isSame = begun.id === own.id || (caller.kind === 'person' && begun.id === caller.credential_id)
  return isSame ? begun : own
}

const agentOf = ({ credential_id, person_id, name, agent_id }: PersonActor, agent: string): Actor => ({
  kind: 'agent',
  id: credential_id,
  name: agent,
  on_behalf_of: { id: String(person_id), name },
  ...(agent_id === null ? {} : { agent_id }),
})
