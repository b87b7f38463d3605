import { refusal } from '../refusal.ts'

/** MBR-10: one text for guests, former members, invited people, members of other brands and unknown ids. */
export const memberNotFound = refusal(404, 'Member not found')
