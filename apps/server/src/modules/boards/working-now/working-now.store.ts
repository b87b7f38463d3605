import type { Actor, CardStatus, FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

export interface WorkingRow {
  readonly id: string
  readonly key: string
  readonly number: number
  readonly title: string
  readonly status: CardStatus
  readonly source: FullCard['source']
  readonly board_id: string
  readonly board: string
  readonly claim_id: string
  readonly claim_holder: Actor
  readonly claim_epoch: number
  readonly claim_expires_at: string
  readonly claimed_at: string
  readonly usage_tokens: number
  readonly usage_cost_micros: number
  readonly run_id: string | null
  readonly run_number: number
  readonly run_summary: string
  readonly run_started_at: string
  readonly run_tokens: number
  readonly run_cost_micros: number
}

interface Place {
  readonly claimed_at: string
  readonly id: string
}
export const firstPlace: Place = { claimed_at: '-infinity', id: '00000000-0000-0000-0000-000000000000' }

// The page is chosen in the order of the index, which holds claimed cards only; a lease that ended is skipped until it is
// swept. Runs that go on have an index of their own.
const list = brandStatement<Place & { limit: number }, WorkingRow>(
  (
    p,
  ) => sql`select c.id, b.key, c.number, c.title, c.status, c.source, c.board_id, b.name as board, c.claim_id, c.claim_holder,
     c.claim_epoch, c.claim_expires_at, c.claimed_at, c.usage_tokens, c.usage_cost_micros, r.*
   from boards.cards c
   cross join lateral (
     select b.key, b.name from boards.boards b
     where b.brand_id = ${p.brand_id} and b.id = c.board_id and b.archived_at is null limit 1) b
   left join lateral (
     select r.id as run_id, r.number as run_number, r.summary as run_summary, r.started_at as run_started_at,
       r.usage_tokens as run_tokens, r.usage_cost_micros as run_cost_micros
     from boards.runs r where r.brand_id = ${p.brand_id} and r.card_id = c.id and r.status = 'running'
       and coalesce(r.claim_epoch, c.claim_epoch) = c.claim_epoch
     order by r.number desc limit 1) r on true
   where c.brand_id = ${p.brand_id} and c.claim_id is not null and c.archived_at is null
     and (c.claimed_at, c.id) > (${p.claimed_at}::timestamptz, ${p.id}::uuid)
     and c.claim_expires_at > platform.clock_now()
   order by c.claimed_at, c.id limit ${p.limit}`,
)

export const listWorking = (ctx: BrandCtx, at: Place & { limit: number }) => ctx.db.all(list, at)
