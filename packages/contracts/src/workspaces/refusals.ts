import { refusal } from '../refusal.ts'

/** MBR-10: one answer for guests, former members, invited people, members of other brands and nobody. */
export const memberNotFound = refusal(404, 'Member not found')
