import type { Member } from '@crewhall/contracts/workspaces/members.ts'

interface Facts {
  readonly person_id: number
  readonly full_name: string
  readonly email: string
  readonly role: 'admin' | 'member'
  readonly joined_at: string
}

export function presentMember(facts: Facts, position: string | null, photo: string | null): Member {
  const { person_id, full_name, email, role, joined_at } = facts
  return { user_id: person_id, name: full_name, email, role, position, photo, joined_at }
}
