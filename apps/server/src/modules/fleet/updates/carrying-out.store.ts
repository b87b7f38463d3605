import type { BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'
import type { Rollout } from './rollout.rules.ts'

export interface WaitingUpdate {
  readonly id: string
  readonly rollout_id: string | null
}
const waiting = brandStatement<{ desk_id: string }, WaitingUpdate>(
  (p) => sql`select id, rollout_id from fleet.machine_updates
   where brand_id = ${p.brand_id} and desk_id = ${p.desk_id} and state = 'queued' and command_id is null`,
)
interface Assigned {
  readonly id: string
  readonly command_id: string
  readonly version: string
}
const assign = brandStatement<Assigned, unknown>(
  (p) => sql`update fleet.machine_updates set command_id = ${p.command_id}, from_version = ${p.version}
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)
type Of = { readonly desk_id: string }
const run = brandStatement<Of & { command_id: string }, unknown>(
  (p) => sql`update fleet.machine_updates set state = 'running', started_at = platform.now()
   where brand_id = ${p.brand_id} and desk_id = ${p.desk_id} and state = 'queued' and command_id = ${p.command_id}`,
)

export interface End extends Of {
  /** Of the update, or of its command. */
  readonly id: string
  readonly error: string | null
  readonly version: string | null
}
const end = brandStatement<End, { id: string; from_version: string | null }>(
  (p) => sql`update fleet.machine_updates
   set state = case when ${p.error}::text is null then 'done' else 'failed' end, error = ${p.error},
     ended_at = platform.now(), to_version = ${p.version}
   where brand_id = ${p.brand_id} and desk_id = ${p.desk_id} and state in ('queued', 'running')
     and (id = ${p.id} or command_id = ${p.id})
   returning id, from_version`,
)

// Machines of one rollout take turns at it. Whoever does not get it comes again with the next beat.
const turn = brandStatement<{ rollout_id: string }, { has_turn: boolean }>(
  (p) => sql`select pg_try_advisory_xact_lock(hashtextextended(${p.rollout_id}, ${p.brand_id})) as has_turn`,
)
const counted = brandStatement<{ rollout_id: string }, Rollout>(
  (p) => sql`select count(*)::int as total,
     count(*) filter (where u.state = 'done')::int as done,
     count(*) filter (where u.state = 'failed' and u.command_id is not null)::int as failed,
     count(*) filter (where u.state in ('queued', 'running') and c.id is not null)::int as active
   from fleet.machine_updates u
   left join fleet.desk_commands c on c.brand_id = u.brand_id and c.id = u.command_id and c.ended_at is null
     and (c.accepted_at is not null or c.expires_at > platform.now())
   where u.brand_id = ${p.brand_id} and u.rollout_id = ${p.rollout_id}`,
)
const stop = brandStatement<{ rollout_id: string; error: string }, unknown>(
  (p) => sql`update fleet.machine_updates set state = 'failed', error = ${p.error}, ended_at = platform.now()
   where brand_id = ${p.brand_id} and rollout_id = ${p.rollout_id} and state = 'queued' and command_id is null`,
)

export const findWaitingUpdate = (ctx: BrandTx, desk_id: string) => ctx.db.first(waiting, { desk_id })
export const updateCommand = (ctx: BrandTx, row: Assigned) => ctx.db.run(assign, row)
export const updateRunning = (ctx: BrandTx, desk_id: string, command_id: string) =>
  ctx.db.run(run, { desk_id, command_id })
export const updateEnded = (ctx: BrandTx, ended: End) => ctx.db.first(end, ended)
/** Undefined while another machine of the rollout is being looked at. */
export async function lockRollout(ctx: BrandTx, rollout_id: string): Promise<Rollout | undefined> {
  const taken = await ctx.db.first(turn, { rollout_id })
  return taken?.has_turn ? ctx.db.first(counted, { rollout_id }) : undefined
}
export const updateStopped = (ctx: BrandTx, rollout_id: string, error: string) =>
  ctx.db.run(stop, { rollout_id, error })
