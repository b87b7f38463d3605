import type { ResourceGuest } from '@crewhall/contracts/workspaces/sharing.ts'
import type { GuestRow } from './sharing.store.ts'

interface Person {
  readonly id: number
  readonly email: string
  readonly full_name: string
  readonly image: string | null
}

export function presentGuest({ role, added_at }: GuestRow, person: Person): ResourceGuest {
  const { id, email, full_name, image } = person
  return { user_id: id, email, full_name, image, role, added_at }
}
