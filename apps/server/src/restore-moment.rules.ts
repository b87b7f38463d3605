/** Longer than any transaction: an entry has the time of its statement, and the target of a recovery counts its commit. */
const longestTransactionMs = 600_000

/**
 * From when the journal is read. Whatever was really restored, its newest time is in it, so a moment that is named too late
 * leaves no gap. What is ended without need is let in again by its owner.
 */
export const journalSince = (to: Date, newest: Date | undefined): Date =>
  new Date(Math.max(0, Math.min(to.getTime(), newest?.getTime() ?? 0) - longestTransactionMs))

/** Why a database is not the one that the operator means. */
export function refusedMoment(
  to: Date,
  { newest, target }: { readonly newest: Date | undefined; readonly target: Date | undefined },
): string | undefined {
  if (target && target.getTime() !== to.getTime())
    return `recovery_target_time of the server is ${target.toISOString()}, and not ${to.toISOString()}`
  // Entries carry the time of their statement, and the commit that the target counts comes after it.
  if (newest && newest > to)
    return `the database has entries of ${newest.toISOString()}: it was not restored to ${to.toISOString()}, or has been served since`
  return undefined
}
