import type { SpaceGuest } from '@crewhall/contracts/docs-spaces/space-guests.ts'
import type { SpaceGuestRow } from './space-guests.store.ts'

interface Person {
  readonly id: number
  readonly email: string
  readonly full_name: string
  readonly image: string | null
}

export function presentSpaceGuest({ role, added_at }: SpaceGuestRow, person: Person): SpaceGuest {
  const { id, email, full_name, image } = person
  return { user_id: id, email, full_name, image, role, added_at }
}
