import type { InstallStage } from '@crewhall/contracts/fleet/desk.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

type Id = { readonly id: string }

interface HeldSecret {
  readonly key_fingerprint: string | null
  /** Whether it was bound a moment ago. */
  readonly is_open: boolean
}
// Asked for again under a lock: it may have been replaced or have expired since the caller was let in.
const lock = brandStatement<Id & { digest: string }, HeldSecret>(
  (p) => sql`select key_fingerprint, bound_at > platform.now() - interval '30 minutes' as is_open
   from fleet.join_secrets
   where brand_id = ${p.brand_id} and desk_id = ${p.id} and secret_digest = ${p.digest} and expires_at > platform.now()
   for update`,
)
const bind = brandStatement<Id & { fingerprint: string }, unknown>(
  (p) => sql`update fleet.join_secrets set key_fingerprint = ${p.fingerprint}, bound_at = platform.now()
   where brand_id = ${p.brand_id} and desk_id = ${p.id}`,
)
const alarm = brandStatement<Id, unknown>(
  (p) => sql`update fleet.join_secrets set refused_at = platform.now()
   where brand_id = ${p.brand_id} and desk_id = ${p.id}
     and (refused_at is null or refused_at < platform.now() - interval '1 minute')`,
)

export interface NewKey extends Id {
  readonly public_key: string
  readonly fingerprint: string
  readonly wg_key: string
  readonly machine_digest: string
  readonly os: string
  readonly arch: string
}
// A desk that is still there was released by a restore alone, which ends keys that were replaced since.
const putKey = brandStatement<NewKey, unknown>(
  (
    p,
  ) => sql`insert into fleet.desk_keys (brand_id, desk_id, public_key, fingerprint, wg_key, machine_digest, os, arch)
   values (${p.brand_id}, ${p.id}, ${p.public_key}, ${p.fingerprint}, ${p.wg_key}, ${p.machine_digest}, ${p.os},
     ${p.arch})
   on conflict on constraint desk_keys_pkey do update
   set public_key = excluded.public_key, fingerprint = excluded.fingerprint, wg_key = excluded.wg_key,
       machine_digest = excluded.machine_digest, os = excluded.os, arch = excluded.arch,
       joined_at = platform.now(), quarantined_at = null, released_at = null`,
)
// Nothing that was found out about the machine before counts any more.
const join = brandStatement<Id & { sidecar_url: string }, { state: 'provisioning' | 'suspended' }>(
  (p) => sql`update fleet.desks set registered_at = platform.now(), sidecar_url = ${p.sidecar_url},
     last_seen_at = platform.now(), updated_at = platform.now(), generation = generation + 1, misses = 0,
     state = case when state = 'suspended' then state else 'provisioning' end,
     handshake_at = null, link_lost_at = null, checked_at = null, answered_at = null, misrouted_at = null
   where brand_id = ${p.brand_id} and id = ${p.id} returning state`,
)

interface Stage extends Id {
  readonly stage: InstallStage
  readonly ok: boolean
  readonly exit_code: number | null
}
const note = brandStatement<Stage, unknown>(
  (p) => sql`update fleet.desks set beacon_stage = ${p.stage}, beacon_ok = ${p.ok},
     beacon_exit_code = ${p.exit_code}, beacon_at = platform.now()
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)

export const lockSecret = (ctx: BrandTx, id: string, digest: string) => ctx.db.first(lock, { id, digest })
export const updateBinding = (ctx: BrandTx, id: string, fingerprint: string) =>
  ctx.db.run(bind, { id, fingerprint })
/** How many rows were changed: none if there was an alarm within a minute. */
export const updateAlarm = (ctx: BrandTx, id: string) => ctx.db.run(alarm, { id })
export const upsertKey = (ctx: BrandTx, key: NewKey) => ctx.db.run(putKey, key)
export const updateJoined = (ctx: BrandTx, id: string, sidecar_url: string) =>
  ctx.db.first(join, { id, sidecar_url })
export const updateStage = (ctx: BrandCtx, stage: Stage) => ctx.db.run(note, stage)
