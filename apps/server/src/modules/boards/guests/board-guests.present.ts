import type { BoardGuest } from '@crewhall/contracts/boards/guests.ts'
import type { BoardGuestRow } from './board-guests.store.ts'

interface Person {
  readonly id: number
  readonly email: string
  readonly full_name: string
  readonly image: string | null
}

export function presentBoardGuest({ role, added_at }: BoardGuestRow, person: Person): BoardGuest {
  const { id, email, full_name, image } = person
  return { user_id: id, email, full_name, image, role, added_at }
}
