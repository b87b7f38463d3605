import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { sql, statement } from '#platform/db/statement.ts'

interface Bite {
  readonly limit: number
}

const attempts = statement<Bite, unknown>(
  (p) => sql`delete from identity.attempt_limits where key in (
     select key from identity.attempt_limits where window_end < platform.now() order by window_end
       limit ${p.limit}
     for update skip locked)`,
)
const sessions = statement<Bite, unknown>(
  (p) => sql`delete from identity.sessions where id in (
     select id from identity.sessions where expires_at < platform.now() order by expires_at limit ${p.limit}
     for update skip locked)`,
)
const devices = statement<Bite & { days: number }, unknown>(
  (p) => sql`delete from identity.devices where (person_id, digest) in (
     select person_id, digest from identity.devices
     where seen_at < platform.now() - make_interval(days => ${p.days})
     order by seen_at limit ${p.limit} for update skip locked)`,
)
const resets = statement<Bite, unknown>(
  (p) => sql`delete from identity.password_resets where token_hash in (
     select token_hash from identity.password_resets where expires_at < platform.now() order by expires_at
       limit ${p.limit}
     for update skip locked)`,
)
// Kept for a while after they end, so that a leaked token can still be identified.
const tokens = statement<Bite & { days: number }, unknown>(
  (p) => sql`delete from identity.tokens where (brand_id, id) in (
     select brand_id, id from identity.tokens
     where least(expires_at, revoked_at) < platform.now() - make_interval(days => ${p.days})
     order by least(expires_at, revoked_at) limit ${p.limit} for update skip locked)`,
)

export const deleteOldAttempts = (ctx: SystemCtx, limit: number) => ctx.db.run(attempts, { limit })
/** Over all brands: they belong to people, and the workspace of a session raises its epoch. */
export const deleteEndedSessions = (ctx: SystemCtx, limit: number) =>
  ctx.overBrands().db.run(sessions, { limit })
export const deleteOldDevices = (ctx: SystemCtx, limit: number, days: number) =>
  ctx.db.run(devices, { limit, days })
export const deleteEndedResets = (ctx: SystemCtx, limit: number) => ctx.db.run(resets, { limit })
export const deleteEndedTokens = (ctx: SystemCtx, limit: number, days: number) =>
  ctx.overBrands().db.run(tokens, { limit, days })
