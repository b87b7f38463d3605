import type { DeskState } from '@crewhall/contracts/fleet/desk.ts'
import type { HealthEventKind, MissCause } from '@crewhall/contracts/fleet/health.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

interface NewEvent {
  readonly id: string
  readonly kind: HealthEventKind
  readonly from_state: DeskState
  readonly state: DeskState
  readonly cause: MissCause | null
  readonly misses: number
  readonly latency_ms: number | null
}
// The row of the desk is locked by whoever writes, so that numbers follow each other.
const add = brandStatement<NewEvent, { seq: string }>(
  (p) => sql`insert into fleet.health_events
     (brand_id, desk_id, seq, kind, from_state, state, cause, misses, latency_ms)
   select ${p.brand_id}, ${p.id}, coalesce(max(seq), 0) + 1, ${p.kind}, ${p.from_state}, ${p.state}, ${p.cause},
     ${p.misses}::int, ${p.latency_ms}::int
   from fleet.health_events where brand_id = ${p.brand_id} and desk_id = ${p.id}
   returning seq::text as seq`,
)
const forget = brandStatement<{ id: string; seq: string; kept: number }, unknown>(
  (p) => sql`delete from fleet.health_events
   where brand_id = ${p.brand_id} and desk_id = ${p.id} and seq <= ${p.seq}::bigint - ${p.kept}::int`,
)
const turns = brandStatement<{ id: string }, { count: number }>(
  (p) => sql`select count(*)::int as count from fleet.health_events
   where brand_id = ${p.brand_id} and desk_id = ${p.id} and kind = 'check' and from_state <> state
     and created_at > platform.now() - interval '10 minutes'`,
)

export interface HealthEventRow {
  readonly created_at: string
  readonly kind: HealthEventKind
  readonly from_state: DeskState
  readonly state: DeskState
  readonly cause: MissCause | null
  readonly misses: number
  readonly latency_ms: number | null
}
const list = brandStatement<{ id: string; limit: number }, HealthEventRow>(
  (p) => sql`select created_at, kind, from_state, state, cause, misses, latency_ms from fleet.health_events
   where brand_id = ${p.brand_id} and desk_id = ${p.id} order by seq desc limit ${p.limit}`,
)
interface Watched {
  readonly state: DeskState
  readonly is_flapping: boolean
}
const find = brandStatement<{ id: string }, Watched>(
  (p) => sql`select state, flapping_at is not null as is_flapping from fleet.desks
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const flap = brandStatement<{ id: string; is_flapping: boolean }, unknown>(
  (p) => sql`update fleet.desks set flapping_at = case when ${p.is_flapping}::boolean then platform.now() end
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)

/** Adds one, and forgets what is too old. */
export async function insertHealthEvent(ctx: BrandTx, event: NewEvent, kept: number): Promise<void> {
  const seq = (await ctx.db.first(add, event))?.seq ?? '0'
  if (Number(seq) > kept) await ctx.db.run(forget, { id: event.id, seq, kept })
}
export const countTurns = async (ctx: BrandTx, id: string): Promise<number> =>
  (await ctx.db.first(turns, { id }))?.count ?? 0
export const listHealthEvents = (ctx: BrandCtx, id: string, limit: number) => ctx.db.all(list, { id, limit })
export const findHealth = (ctx: BrandCtx, id: string) => ctx.db.first(find, { id })
export const updateFlapping = (ctx: BrandTx, id: string, is_flapping: boolean) =>
  ctx.db.run(flap, { id, is_flapping })
