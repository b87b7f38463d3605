import type { Me } from '@crewhall/contracts/identity/sessions.ts'
import type { PersonActor } from '#platform/ctx/actor.ts'
import type { MembershipRow, PersonRow } from './sessions.store.ts'

export function presentMe(actor: PersonActor, person: PersonRow, memberships: readonly MembershipRow[]): Me {
  const { id, email, full_name, image, is_staff, email_verified } = person
  // A token acts for one workspace and must not reveal others.
  const visible =
    actor.credential === 'token'
      ? memberships.filter(({ brand_id }) => brand_id === actor.brand_id)
      : memberships
  return {
    person: { id, email, full_name, image, is_staff, email_verified },
    brand_id: actor.brand_id,
    role: actor.role,
    credential: actor.credential,
    scopes: actor.scopes && [...actor.scopes],
    expires_at: actor.expires_at,
    ...(actor.agent === null ? {} : { agent: actor.agent }),
    ...(actor.agent_id === null ? {} : { agent_id: actor.agent_id }),
    memberships: visible.map(({ brand_id, name, role }) => ({ brand_id, name, role })),
  }
}
