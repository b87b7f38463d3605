import type { DeskState } from '@crewhall/contracts/fleet/desk.ts'
import type { MissCause } from '@crewhall/contracts/fleet/health.ts'
import type { BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, type Named, sql, statement } from '#platform/db/statement.ts'

interface Hold {
  readonly cell: number
  readonly holder: string
  readonly seconds: number
}
const hold = statement<Hold, { fence: string }>(
  (p) => sql`update fleet.poll_cells set holder = ${p.holder}::uuid,
     fence = fence + (holder is distinct from ${p.holder}::uuid)::int,
     held_until = platform.clock_now() + make_interval(secs => ${p.seconds})
   where cell = ${p.cell} and (holder = ${p.holder}::uuid or held_until < platform.clock_now())
   returning fence::text as fence`,
)

const leave = statement<Omit<Hold, 'seconds'>, unknown>(
  (p) => sql`update fleet.poll_cells set held_until = '-infinity'
   where cell = ${p.cell} and holder = ${p.holder}::uuid`,
)

export interface DeskPlace {
  readonly brand_id: number
  readonly id: string
}
const pollable = `d.sidecar_url is not null and d.registered_at is not null and d.state <> 'suspended'`
const walk = statement<DeskPlace & { limit: number }, DeskPlace>(
  (p) => sql`select d.brand_id, d.id from fleet.desks d
   where (d.brand_id, d.id) > (${p.brand_id}::int, ${p.id}::uuid) and ${pollable}
   order by d.brand_id, d.id limit ${p.limit}`,
)

// Those of the index `desks_unchecked`, which has its conditions from here.
const unchecked = statement<{ limit: number }, DeskPlace>(
  (p) => sql`select d.brand_id, d.id from fleet.desks d where d.checked_at is null and ${pollable}
   order by d.brand_id, d.id limit ${p.limit}`,
)

export interface WatchedRow extends DeskPlace {
  readonly state: DeskState
  readonly sidecar_url: string
  readonly generation: string
  readonly misses: number
  readonly is_resumed: boolean
  readonly version: string | null
  readonly digest: string | null
  readonly has_answered: boolean
  readonly has_handshake: boolean
  readonly is_checked: boolean
  readonly is_misrouted: boolean
  /** Whether it was last noted as heard a while ago. */
  readonly is_stale: boolean
  readonly public_key: string
  readonly is_quarantined: boolean
  /** As last noted; null after an answer. */
  readonly miss_cause: MissCause | null
  readonly is_flapping: boolean
  /** Whether it was flapping, and has been the same for a while. */
  readonly is_settled: boolean
}
const watched = statement<{ brands: readonly number[]; ids: readonly string[] }, WatchedRow>(
  (p) => sql`select d.brand_id, d.id, d.state, d.sidecar_url, d.generation::text as generation, d.misses,
     coalesce(d.resumed_at > d.registered_at, false) as is_resumed, d.sidecar_version as version,
     d.sidecar_code_digest as digest, d.answered_at is not null as has_answered,
     d.checked_at is not null as is_checked, d.misrouted_at is not null as is_misrouted,
     coalesce(d.last_seen_at < platform.now() - interval '15 minutes', true) as is_stale, k.public_key,
     k.quarantined_at is not null as is_quarantined, d.handshake_at is not null as has_handshake, d.miss_cause,
     d.flapping_at is not null as is_flapping,
     coalesce(d.flapping_at is not null and d.turned_at < platform.now() - interval '10 minutes', false) as is_settled
   from unnest(${p.brands}::int[], ${p.ids}::uuid[]) as w (brand_id, id)
   join fleet.desks d on d.brand_id = w.brand_id and d.id = w.id
   join fleet.desk_keys k on k.brand_id = w.brand_id and k.desk_id = w.id
   where ${pollable}`,
)

/** By whoever still holds the cell. */
export interface HeldCell {
  readonly cell: number
  readonly fence: string
}
export interface Found extends HeldCell {
  readonly id: string
  readonly generation: string
  readonly state: DeskState
  readonly misses: number
  readonly version: string | null
  readonly digest: string | null
  readonly is_upgraded: boolean
  readonly kind: 'answered' | 'misrouted' | 'missed'
  readonly miss_cause: MissCause | null
  readonly is_turn: boolean
}
const held = (p: Named<HeldCell>) =>
  sql`exists (select from fleet.poll_cells c where c.cell = ${p.cell} and c.fence = ${p.fence}::bigint)`
// `checked_at` keeps its first time: an index has it as a condition, and rows that change no such column stay in place.
// Of the desk as it was when it was asked, and by whoever still holds the cell; otherwise nothing.
const note = brandStatement<Found, { id: string }>(
  (p) => sql`update fleet.desks set state = ${p.state}, misses = ${p.misses},
     checked_at = coalesce(checked_at, platform.now()),
     answered_at = case when ${p.kind} = 'answered' then platform.now() else answered_at end,
     handshake_at = case when ${p.kind} = 'answered' then coalesce(handshake_at, platform.now()) else handshake_at end,
     last_seen_at = case when ${p.kind} = 'answered' then platform.now() else last_seen_at end,
     misrouted_at = case when ${p.kind} = 'misrouted' then coalesce(misrouted_at, platform.now())
       when ${p.kind} = 'missed' then misrouted_at end,
     sidecar_version = ${p.version}, sidecar_code_digest = ${p.digest}, miss_cause = ${p.miss_cause},
     turned_at = case when ${p.is_turn}::boolean then platform.now() else turned_at end,
     last_upgrade_at = case when ${p.is_upgraded}::boolean then platform.now() else last_upgrade_at end
   where brand_id = ${p.brand_id} and id = ${p.id} and generation = ${p.generation}::bigint and state <> 'suspended'
     and ${held(p)}
   returning id`,
)
interface Heard extends HeldCell {
  readonly brands: readonly number[]
  readonly ids: readonly string[]
  readonly generations: readonly string[]
}
// All that a look has heard, in one statement.
const hear = statement<Heard, unknown>(
  (p) => sql`update fleet.desks d
   set last_seen_at = platform.now(), answered_at = platform.now()
   from unnest(${p.brands}::int[], ${p.ids}::uuid[], ${p.generations}::bigint[]) as h (brand_id, id, generation)
   where d.brand_id = h.brand_id and d.id = h.id and d.generation = h.generation and d.state = 'ready' and ${held(p)}`,
)

export const updateHold = (ctx: SystemCtx, given: Hold) => ctx.db.first(hold, given)
export const updateLeft = (ctx: SystemCtx, given: Omit<Hold, 'seconds'>) => ctx.db.run(leave, given)
export const listPollable = (ctx: SystemCtx, after: DeskPlace, limit: number) =>
  ctx.overBrands().db.all(walk, { ...after, limit })
export const listUnchecked = (ctx: SystemCtx, limit: number) => ctx.overBrands().db.all(unchecked, { limit })
export const listWatched = (ctx: SystemCtx, places: readonly DeskPlace[]) =>
  ctx.overBrands().db.all(watched, {
    brands: places.map(({ brand_id }) => brand_id),
    ids: places.map(({ id }) => id),
  })
export const updateHeard = async (
  ctx: SystemCtx,
  cell: HeldCell,
  desks: readonly WatchedRow[],
): Promise<void> => {
  if (desks.length === 0) return
  await ctx.overBrands().db.run(hear, {
    ...cell,
    brands: desks.map(({ brand_id }) => brand_id),
    ids: desks.map(({ id }) => id),
    generations: desks.map(({ generation }) => generation),
  })
}
/** Whether it was written. */
export const updateFound = async (ctx: BrandTx, found: Found): Promise<boolean> =>
  (await ctx.db.first(note, found)) !== undefined
