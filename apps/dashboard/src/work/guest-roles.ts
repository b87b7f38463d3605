import type { GuestRole } from '@crewhall/contracts/workspaces/guests.ts'

const words: Readonly<Record<GuestRole, string>> = {
  viewer: 'Viewer',
  commenter: 'Commenter',
  editor: 'Editor',
}

export const guestRoles = Object.keys(words) as readonly GuestRole[]
export const roleWord = (role: GuestRole): string => words[role]
