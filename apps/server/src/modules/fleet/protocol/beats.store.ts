import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'
import { isKeyOld } from '../mesh/peers.store.ts'

export interface BeatFacts {
  readonly id: string
  readonly pending_sync_count: number
  readonly login_expired: boolean
  /** Whether it was ever heard by the hub, and whether it is now. */
  readonly has_link: boolean
  readonly is_linked: boolean
}
export interface Heard {
  readonly is_news: boolean
  /** Whether a command, an update, a request for logs or another key waits for the desk; found out on the way, so that most beats are one statement. */
  readonly has_work: boolean
  readonly hired_agent_id: string | null
  readonly hire_revision: number
}
// Most beats say what is known already and write nothing. That a desk was heard is noted every quarter of an hour, and
// not by all desks at once.
const note = brandStatement<BeatFacts, Heard>(
  (p) => sql`with noted as (
   update fleet.desks set pending_sync_count = ${p.pending_sync_count}, last_seen_at = platform.now(),
     login_expired_at = case when ${p.login_expired}::boolean then coalesce(login_expired_at, platform.now()) end,
     handshake_at = case when ${p.has_link}::boolean then coalesce(handshake_at, platform.now()) else handshake_at end,
     link_lost_at = case when not ${p.is_linked}::boolean then coalesce(link_lost_at, platform.now()) end
   where brand_id = ${p.brand_id} and id = ${p.id} and (
     pending_sync_count <> ${p.pending_sync_count}
     or (login_expired_at is not null) <> ${p.login_expired}::boolean
     or (handshake_at is null and ${p.has_link}::boolean)
     or (link_lost_at is null) <> ${p.is_linked}::boolean
     or last_seen_at is null
     or last_seen_at < platform.now() - interval '15 minutes' - abs(hashtext(id::text) % 180) * interval '1 second')
   returning id)
   select exists (select from noted) as is_news,
     exists (select from fleet.desk_commands c
       where c.brand_id = ${p.brand_id} and c.desk_id = ${p.id} and c.ended_at is null and c.accepted_at is null)
     or exists (select from fleet.machine_updates u
       where u.brand_id = ${p.brand_id} and u.desk_id = ${p.id} and u.state = 'queued' and u.command_id is null)
     or exists (select from fleet.desk_logs l
       where l.brand_id = ${p.brand_id} and l.desk_id = ${p.id} and l.received_at is null and l.error is null
         and l.expires_at > platform.now())
     or exists (select from fleet.mesh_peers m
       where m.brand_id = ${p.brand_id} and m.desk_id = ${p.id} and ${isKeyOld})
     as has_work, d.hired_agent_id, d.hire_revision
   from fleet.desks d where d.brand_id = ${p.brand_id} and d.id = ${p.id}`,
)

/** Undefined where the desk was released a moment ago. */
export const updateHeard = (ctx: BrandCtx, facts: BeatFacts) => ctx.db.first(note, facts)
