import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

export interface BeatFacts {
  readonly id: string
  readonly pending_sync_count: number
  readonly login_expired: boolean
  readonly has_link: boolean
}
// Most beats say what is known already and write nothing. That a desk was heard is noted every quarter of an hour, and
// not by all desks at once.
const note = brandStatement<BeatFacts, { id: string }>(
  (
    p,
  ) => sql`update fleet.desks set pending_sync_count = ${p.pending_sync_count}, last_seen_at = platform.now(),
     login_expired_at = case when ${p.login_expired}::boolean then coalesce(login_expired_at, platform.now()) end,
     handshake_at = case when ${p.has_link}::boolean then coalesce(handshake_at, platform.now()) else handshake_at end
   where brand_id = ${p.brand_id} and id = ${p.id} and (
     pending_sync_count <> ${p.pending_sync_count}
     or (login_expired_at is not null) <> ${p.login_expired}::boolean
     or (handshake_at is null and ${p.has_link}::boolean)
     or last_seen_at is null
     or last_seen_at < platform.now() - interval '15 minutes' - abs(hashtext(id::text) % 180) * interval '1 second')
   returning id`,
)

/** Whether anything was new. */
export const updateHeard = async (ctx: BrandCtx, facts: BeatFacts): Promise<boolean> =>
  (await ctx.db.first(note, facts)) !== undefined
