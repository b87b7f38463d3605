import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import type { Actor as Caller } from '#platform/ctx/ctx.ts'

/** Who is told to have done it. */
export function boardActorOf(caller: Caller): Actor {
  if (caller.kind === 'person') {
    return { kind: 'member', id: String(caller.person_id), name: caller.name, on_behalf_of: null }
  }
  const name = caller.kind === 'system' ? caller.name : 'platform'
  return { kind: 'system', id: name, name, on_behalf_of: null }
}

/**
 * Who works on a card. A token that names its worker speaks for an agent; without a name, two programs that
 * share a token are one worker.
 */
export function workerActorOf(caller: Caller, worker: string | undefined): Actor {
  const person = boardActorOf(caller)
  if (worker === undefined || caller.kind !== 'person') return person
  const { id, name } = person
  return { kind: 'agent', id: caller.credential_id, name: worker, on_behalf_of: { id, name } }
}
