import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'

interface Bite {
  readonly limit: number
}

const attempts = sqlStatement<Bite, unknown>(
  `delete from identity.attempt_limits where key in (
     select key from identity.attempt_limits where window_end < platform.now() order by window_end limit $1
     for update skip locked)`,
  'limit',
)
const sessions = sqlStatement<Bite, unknown>(
  `delete from identity.sessions where id in (
     select id from identity.sessions where expires_at < platform.now() order by expires_at limit $1
     for update skip locked)`,
  'limit',
)
const resets = sqlStatement<Bite, unknown>(
  `delete from identity.password_resets where token_hash in (
     select token_hash from identity.password_resets where expires_at < platform.now() order by expires_at limit $1
     for update skip locked)`,
  'limit',
)
// Kept for a while after their end, so that a list can still tell what a leaked one was.
const tokens = sqlStatement<Bite & { days: number }, unknown>(
  `delete from identity.tokens where (brand_id, id) in (
     select brand_id, id from identity.tokens
     where least(expires_at, revoked_at) < platform.now() - make_interval(days => $2)
     order by least(expires_at, revoked_at) limit $1 for update skip locked)`,
  'limit',
  'days',
)

export const deleteOldAttempts = (ctx: SystemCtx, limit: number) => ctx.db.run(attempts, { limit })
/** Over all brands: they belong to people, and the workspace of a session raises its epoch. */
export const deleteEndedSessions = (ctx: SystemCtx, limit: number) =>
  ctx.overBrands().db.run(sessions, { limit })
export const deleteEndedResets = (ctx: SystemCtx, limit: number) => ctx.db.run(resets, { limit })
export const deleteEndedTokens = (ctx: SystemCtx, limit: number, days: number) =>
  ctx.overBrands().db.run(tokens, { limit, days })
