import { StaleCaller, staleCallerCode } from '#platform/db/stale-caller.ts'
import { Outage, type OutageReason, type Part } from '#platform/outage/outage.ts'

/**
 * SQLSTATE classes and codes that mean the server went away, is starting, has no room for us, or takes no writes because
 * another one has become the primary.
 */
const unreachable = /^(08|57P0[1235]|53[0-9A-Z]{3}|25006)/
const unreachableErrno = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
])
const lostConnection = /connection terminated|connection ended|not queryable|client was closed/i
const slow = /timeout exceeded when trying to connect|query read timeout|connection timeout/i

interface PgErrorFacts {
  readonly code?: string
  /** Where in the server it was raised. */
  readonly routine?: string
  readonly constraint?: string
}

const factsOf = (error: unknown): PgErrorFacts => (typeof error === 'object' && error !== null ? error : {})

/** What Postgres raises when a transaction wants to commit after its limit (`platform.check_commit_limit`). */
const lateCommitCode = 'CH504'

/**
 * The limit of a statement ended the wait for the standby, and not the commit: it stands here, and a failover would lose
 * it. PostgreSQL tells that as a warning beside its success.
 */
export class Unconfirmed extends Error {
  readonly code = '08007'
}

/** What a server says beside its results when a commit was not confirmed by its standby. */
export const isUnconfirmed = (notice: object): boolean => factsOf(notice).routine === 'SyncRepWaitForLSN'

/** Turns driver errors of an unavailable database into an Outage; leaves all others alone. */
export function translatePgError(error: unknown, part: Part = 'database'): unknown {
  if (!(error instanceof Error) || error instanceof Outage) return error
  const { code } = factsOf(error)
  if (code === staleCallerCode) return new StaleCaller(error)
  const reason = outageReasonOf(code, error.message)
  return reason === undefined ? error : new Outage(part, reason, { cause: error })
}

function outageReasonOf(code: string | undefined, message: string): OutageReason | undefined {
  if (code === undefined) {
    if (slow.test(message)) return 'timeout'
    return lostConnection.test(message) ? 'unreachable' : undefined
  }
  // Somebody else has the lock; the server itself is well.
  if (code === '55P03') return 'overloaded'
  if (code === '57014' || code === lateCommitCode) return 'timeout'
  return unreachable.test(code) || unreachableErrno.has(code) ? 'unreachable' : undefined
}

/** A conflict found by us and not by Postgres: what a transaction read is out of date, so it has to run again. */
export class Crossed extends Error {
  readonly code = '40001'
}

/** The server gave a statement up, by its limit or because it was asked to; the connection itself has no fault. */
export function isSoundAfter({ cause }: Outage): boolean {
  return /^(57014|55P03|CH504)$/.test(factsOf(cause).code ?? '')
}

/** Two transactions crossed. Nothing was written, so the whole transaction may simply run again. */
export const isRetryable = (error: unknown): boolean => /^40(001|P01)$/.test(factsOf(error).code ?? '')

/**
 * A statement that was prepared before a release changed its result, or that the server no longer knows. The first
 * shares its error code with all unsupported features, which replanning would not fix.
 */
export function isStalePlan(error: unknown): boolean {
  const { code, routine } = factsOf(error)
  return code === '26000' || (code === '0A000' && routine === 'RevalidateCachedQuery')
}

/** Stores translate constraints by name, and nothing else. */
export const violates = (error: unknown, constraint: string): boolean =>
  factsOf(error).constraint === constraint

/** A row cannot be deleted, because another one refers to it. */
export const isStillReferenced = (error: unknown): boolean => factsOf(error).code === '23503'
