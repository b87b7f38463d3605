import type { DeskState, InstallStage, Runtime } from '@crewhall/contracts/fleet/desk.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, type Named, sql } from '#platform/db/statement.ts'

export interface DeskRow {
  readonly id: string
  readonly short_id: string
  readonly name: string
  readonly runtime: Runtime
  readonly region: string | null
  readonly description: string | null
  readonly workspace_path: string
  readonly vps_provider: string | null
  readonly created_at: string
  readonly state: DeskState
  readonly resumed_at: string | null
  readonly last_seen_at: string | null
  readonly beacon_stage: InstallStage | null
  readonly beacon_ok: boolean | null
  readonly beacon_exit_code: number | null
  readonly registered_at: string | null
  readonly handshake_at: string | null
  readonly link_lost_at: string | null
  readonly sidecar_url: string | null
  readonly misses: number
  /** Of the checks since the desk was registered, resumed or repointed. */
  readonly checked_at: string | null
  readonly answered_at: string | null
  readonly misrouted_at: string | null
  readonly sidecar_version: string | null
  readonly sidecar_code_digest: string | null
  readonly last_upgrade_at: string | null
  readonly pending_sync_count: number
  /** Of the secret that it may join with. */
  readonly secret_expires_at: string | null
  readonly has_photo: boolean
  /** Whose memories it has. */
  readonly agent_id: string | null
  /** Whose credential it has. */
  readonly hired_agent_id: string | null
  readonly hire_revision: number
  /** The repository that it works on. */
  readonly project_id: string | null
  /** Two machines use its key. */
  readonly is_quarantined: boolean
}
type Id = { readonly id: string }

const own = `id, short_id, name, runtime, region, description, workspace_path, vps_provider, created_at, state,
     resumed_at, last_seen_at, beacon_stage, beacon_ok, beacon_exit_code, registered_at, handshake_at, link_lost_at, sidecar_url,
     misses, checked_at, answered_at, misrouted_at, sidecar_version, sidecar_code_digest, last_upgrade_at,
     pending_sync_count, agent_id, hired_agent_id,
     hire_revision, project_id`
const beside = `
     (select s.expires_at from fleet.join_secrets s where s.brand_id = d.brand_id and s.desk_id = d.id)
       as secret_expires_at,
     exists (select from fleet.desk_photos f where f.brand_id = d.brand_id and f.desk_id = d.id) as has_photo,
     coalesce((select k.quarantined_at is not null from fleet.desk_keys k
       where k.brand_id = d.brand_id and k.desk_id = d.id), false) as is_quarantined`

const one = (p: Named<Id & { brand_id: number }>) => sql`select ${own}, ${beside} from fleet.desks d
   where d.brand_id = ${p.brand_id} and d.id = ${p.id}`
const find = brandStatement<Id, DeskRow>(one)
const lock = brandStatement<Id, DeskRow>((p) => sql`${one(p)} for no key update of d`)
const list = brandStatement<{ before: string; limit: number }, DeskRow>(
  (p) => sql`select ${own}, ${beside} from fleet.desks d
   where d.brand_id = ${p.brand_id} and d.id < ${p.before}::uuid order by d.id desc limit ${p.limit}`,
)

// The lock of the plan is shared: it keeps the limit as it is. This one lets orders take turns.
const turn = brandStatement<object, unknown>(
  (p) => sql`select pg_advisory_xact_lock(hashtext('fleet.desks'), ${p.brand_id})`,
)
const countAll = brandStatement<object, { count: number }>(
  (p) => sql`select count(*)::int as count from fleet.desks where brand_id = ${p.brand_id}`,
)
/** What `isDormant` says of a row, for rows that are counted. */
const dormant = (p: Named<{ silent_before: Date }>) => sql`state <> 'suspended'
     and greatest(created_at, last_seen_at, resumed_at) < ${p.silent_before}::timestamptz`
const countLive = brandStatement<{ silent_before: Date }, { count: number }>(
  (p) => sql`select count(*)::int as count from fleet.desks
   where brand_id = ${p.brand_id} and not (${dormant(p)})`,
)

interface NewRow extends Id {
  readonly short_id: string
  readonly name: string
  readonly runtime: Runtime
  readonly region: string | null
  readonly description: string | null
  readonly workspace_path: string
  readonly project_id: string | null
  readonly created_by: number | null
}
const add = brandStatement<NewRow, Id>(
  (
    p,
  ) => sql`insert into fleet.desks (brand_id, id, short_id, name, runtime, region, description, workspace_path,
     project_id, created_by)
   values (${p.brand_id}, ${p.id}, ${p.short_id}, ${p.name}, ${p.runtime}, ${p.region}, ${p.description},
     ${p.workspace_path}, ${p.project_id}, ${p.created_by}) returning id`,
)

interface Secret extends Id {
  readonly secret_digest: string
  readonly issued_by: number | null
  readonly expires_at: Date
}
// The old one, and the key it was bound to, are gone with the same statement.
const putSecret = brandStatement<Secret, { expires_at: string }>(
  (p) => sql`insert into fleet.join_secrets (brand_id, desk_id, secret_digest, issued_by, expires_at)
   values (${p.brand_id}, ${p.id}, ${p.secret_digest}, ${p.issued_by}, ${p.expires_at}::timestamptz)
   on conflict on constraint join_secrets_pkey do update
   set secret_digest = excluded.secret_digest, issued_by = excluded.issued_by, issued_at = platform.now(),
       expires_at = excluded.expires_at, key_fingerprint = null, bound_at = null
   returning expires_at`,
)

interface Change extends Id {
  readonly name: string
  readonly description: string | null
  readonly state: DeskState
  readonly sidecar_url: string | null
  readonly agent_id: string | null
  readonly is_resumed: boolean
  /** Nothing that was found out before counts any more, and whoever is asking now writes nothing. */
  readonly begins_anew: boolean
}
const change = brandStatement<Change, Id>(
  (p) => sql`update fleet.desks set name = ${p.name}, description = ${p.description}, state = ${p.state},
     sidecar_url = ${p.sidecar_url}, agent_id = ${p.agent_id}, updated_at = platform.now(),
     resumed_at = case when ${p.is_resumed} then platform.now() else resumed_at end,
     generation = generation + ${p.begins_anew}::boolean::int,
     misses = case when ${p.begins_anew} then 0 else misses end,
     checked_at = case when ${p.begins_anew} then null else checked_at end,
     answered_at = case when ${p.begins_anew} then null else answered_at end,
     misrouted_at = case when ${p.begins_anew} then null else misrouted_at end
   where brand_id = ${p.brand_id} and id = ${p.id} returning id`,
)
const removeSecret = brandStatement<Id, unknown>(
  (p) => sql`delete from fleet.join_secrets where brand_id = ${p.brand_id} and desk_id = ${p.id}`,
)
const remove = brandStatement<Id, unknown>(
  (p) => sql`delete from fleet.desks where brand_id = ${p.brand_id} and id = ${p.id}`,
)

export interface ExpiredRow {
  readonly id: string
  readonly name: string
  readonly runtime: Runtime
}
interface Logins {
  readonly checked: number
  readonly dormant: number
  readonly expired_count: number
  readonly expired: readonly ExpiredRow[]
}
// One statement, so that all of it is of one moment.
const logins = brandStatement<{ silent_before: Date; limit: number }, Logins>(
  (p) => sql`with known as (
     select id, name, runtime, login_expired_at, (${dormant(p)}) as is_dormant
     from fleet.desks where brand_id = ${p.brand_id}),
   expired as (
     select id, name, runtime from known where login_expired_at is not null and not is_dormant
     order by id desc limit ${p.limit})
   select count(*) filter (where not is_dormant)::int as checked, count(*) filter (where is_dormant)::int as dormant,
     count(*) filter (where login_expired_at is not null and not is_dormant)::int as expired_count,
     (select coalesce(jsonb_agg(to_jsonb(expired) order by id desc), '[]') from expired) as expired
   from known`,
)

export const findDesk = (ctx: BrandCtx, id: string) => ctx.db.first(find, { id })
export const lockDesk = (ctx: BrandTx, id: string) => ctx.db.first(lock, { id })
export const listDesks = (ctx: BrandCtx, page: { before: string; limit: number }) => ctx.db.all(list, page)
export const lockDesks = (ctx: BrandTx) => ctx.db.run(turn, {})
export const countDesks = async (ctx: BrandCtx): Promise<number> =>
  (await ctx.db.first(countAll, {}))?.count ?? 0
export const countLiveDesks = async (ctx: BrandCtx, silent_before: Date): Promise<number> =>
  (await ctx.db.first(countLive, { silent_before }))?.count ?? 0
export const insertDesk = (ctx: BrandTx, row: NewRow) => ctx.db.run(add, row)
export const upsertSecret = (ctx: BrandTx, secret: Secret) => ctx.db.first(putSecret, secret)
export const updateDesk = (ctx: BrandTx, row: Change) => ctx.db.run(change, row)
export const deleteSecret = (ctx: BrandTx, id: string) => ctx.db.run(removeSecret, { id })
export const deleteDesk = (ctx: BrandTx, id: string) => ctx.db.run(remove, { id })
export const countLogins = (ctx: BrandCtx, silent_before: Date, limit: number) =>
  ctx.db.first(logins, { silent_before, limit })
