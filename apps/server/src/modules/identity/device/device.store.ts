import type { BrandTx, SystemCtx, SystemTx } from '#platform/ctx/ctx.ts'
import { sql, statement } from '#platform/db/statement.ts'
import type { DeviceStatus } from './device.rules.ts'

export interface DeviceCodeRow {
  readonly id: string
  readonly status: DeviceStatus
  readonly host: string | null
  readonly client: string | null
  readonly network: string
  /** Null when a session is asked for. */
  readonly scopes: string[] | null
  readonly interval_seconds: number
  readonly brand_id: number | null
  readonly session_id: number | null
  /** Who has approved it. */
  readonly person_id: number | null
  readonly is_expired: boolean
  readonly is_early: boolean
  readonly created_at: string
  readonly expires_at: string
}

// A timer that fires a little early, or a request that travels faster than the one before, is no offence.
const columns = `d.id, d.status, d.host, d.client, d.network, d.scopes, d.interval_seconds, d.brand_id, d.session_id,
   (select s.person_id from identity.sessions s where s.id = d.session_id) as person_id,
   d.expires_at <= platform.now() as is_expired, d.created_at, d.expires_at,
   coalesce(d.polled_at + make_interval(secs => d.interval_seconds - 1) > platform.now(), false) as is_early`

interface NewCode {
  readonly id: string
  readonly device_digest: string
  readonly user_digest: string
  readonly host: string | null
  readonly client: string | null
  readonly network: string
  readonly scopes: readonly string[] | null
  readonly interval_seconds: number
  readonly minutes: number
}
const add = statement<NewCode, unknown>(
  (p) => sql`insert into identity.device_codes (id, device_digest, user_digest, host, client, network, scopes,
     interval_seconds, expires_at)
   values (${p.id}, decode(${p.device_digest}, 'hex'), decode(${p.user_digest}, 'hex'), ${p.host}, ${p.client},
     ${p.network}, ${p.scopes}, ${p.interval_seconds}, platform.now() + make_interval(mins => ${p.minutes}))
   on conflict (user_digest) do nothing`,
)
// Counts no further than the limit.
const waiting = statement<{ limit: number }, { count: number }>(
  (p) => sql`select count(*)::int as count from (
     select 1 from identity.device_codes where status = 'pending' and expires_at > platform.now() limit ${p.limit}) d`,
)
const byDevice = statement<{ digest: string }, DeviceCodeRow>(
  (p) =>
    sql`select ${columns} from identity.device_codes d where d.device_digest = decode(${p.digest}, 'hex')`,
)
// A poll and a decision take turns: whichever comes first is what both are told.
const lockByDevice = statement<{ digest: string }, unknown>(
  (p) => sql`select 1 from identity.device_codes where device_digest = decode(${p.digest}, 'hex') for update`,
)
const byUser = statement<{ digest: string }, DeviceCodeRow>(
  (p) => sql`select ${columns} from identity.device_codes d
   where d.user_digest = decode(${p.digest}, 'hex') and d.status = 'pending' and d.expires_at > platform.now()`,
)
const byId = statement<{ id: string }, DeviceCodeRow>(
  (p) => sql`select ${columns} from identity.device_codes d where d.id = ${p.id}`,
)
const notePoll = statement<{ id: string; interval_seconds: number }, unknown>(
  (
    p,
  ) => sql`update identity.device_codes set polled_at = platform.now(), interval_seconds = ${p.interval_seconds}
   where id = ${p.id}`,
)
const setStatus = statement<{ id: string; status: DeviceStatus }, unknown>(
  (p) => sql`update identity.device_codes set status = ${p.status} where id = ${p.id}`,
)
// Of two decisions at once the second finds nothing that is pending. What is approved at the last moment can still be
// fetched, and what is approved early cannot be for long.
const approve = statement<
  { id: string; session_id: number; brand_id: number | null; seconds: number },
  unknown
>(
  (p) => sql`update identity.device_codes set status = 'approved', session_id = ${p.session_id},
     brand_id = ${p.brand_id}, expires_at = platform.now() + make_interval(secs => ${p.seconds})
   where id = ${p.id} and status = 'pending' and expires_at > platform.now()`,
)
const deny = statement<{ id: string }, unknown>(
  (p) => sql`update identity.device_codes set status = 'denied'
   where id = ${p.id} and status = 'pending' and expires_at > platform.now()`,
)
const holdSession = statement<{ id: number }, unknown>(
  (p) => sql`select 1 from identity.sessions where id = ${p.id} for key share`,
)
const sweep = statement<{ limit: number }, unknown>(
  (p) => sql`delete from identity.device_codes where id in (
     select id from identity.device_codes where expires_at < platform.now() order by expires_at limit ${p.limit}
     for update skip locked)`,
)

/** False when another program has the same code for the person. */
export const insertDeviceCode = async (ctx: SystemCtx, code: NewCode): Promise<boolean> =>
  (await ctx.db.run(add, code)) > 0
export const countWaiting = async (ctx: SystemCtx, limit: number): Promise<number> =>
  (await ctx.db.first(waiting, { limit }))?.count ?? 0
export const findByDevice = (ctx: SystemCtx | BrandTx, digest: string) => ctx.db.first(byDevice, { digest })
/** Read in a statement of its own: what the one that waits for a lock reads is older than the lock. */
export async function lockDeviceCode(
  ctx: SystemTx | BrandTx,
  digest: string,
): Promise<DeviceCodeRow | undefined> {
  await ctx.db.run(lockByDevice, { digest })
  return findByDevice(ctx, digest)
}
export const findWaitingCode = (ctx: SystemCtx, digest: string) => ctx.db.first(byUser, { digest })
export const findDeviceCode = (ctx: SystemCtx, id: string) => ctx.db.first(byId, { id })
export const updatePolled = (ctx: SystemTx, id: string, interval_seconds: number) =>
  ctx.db.run(notePoll, { id, interval_seconds })
export const updateStatus = (ctx: SystemTx | BrandTx, id: string, status: DeviceStatus) =>
  ctx.db.run(setStatus, { id, status })
export const updateApproved = async (
  ctx: SystemTx,
  approved: { id: string; session_id: number; brand_id: number | null; seconds: number },
): Promise<boolean> => (await ctx.db.run(approve, approved)) > 0
export const updateDenied = async (ctx: SystemTx, id: string): Promise<boolean> =>
  (await ctx.db.run(deny, { id })) > 0
/** False when the session has ended meanwhile. */
export const lockSession = async (ctx: SystemTx, id: number): Promise<boolean> =>
  (await ctx.db.run(holdSession, { id })) > 0
export const deleteEndedDeviceCodes = (ctx: SystemCtx, limit: number) => ctx.db.run(sweep, { limit })
