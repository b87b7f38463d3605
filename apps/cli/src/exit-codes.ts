/**
 * Every code that this program ends with. The first four are those of `gh`; 6 is that of the installer of desks, and `run`
 * ends with the code of its command.
 */
export const exitCodes = {
  ok: { code: 0, meaning: 'Done' },
  error: { code: 1, meaning: 'An error: a wrong argument, a refused request or a fault' },
  cancelled: { code: 2, meaning: 'Cancelled: a question was declined, or the command was interrupted' },
  sign_in: { code: 4, meaning: 'A sign-in is needed, or one that may do more' },
  not_found: { code: 5, meaning: 'Not found' },
  conflict: {
    code: 7,
    meaning: 'A conflict: somebody else holds or has changed it, or a precondition does not hold',
  },
  limited: { code: 8, meaning: 'Too many requests' },
  away: { code: 9, meaning: 'The service is away: not reached, too slow or out of order' },
} as const

export type Ending = keyof typeof exitCodes

/** How a command ends that gets this status and no result. */
export function endingOf(status: number): Ending {
  if (status === 401 || status === 403) return 'sign_in'
  if (status === 404 || status === 410) return 'not_found'
  if (status === 409 || status === 412) return 'conflict'
  if (status === 429) return 'limited'
  if ([502, 503, 504].includes(status)) return 'away'
  return 'error'
}
