import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, type Named, sql } from '#platform/db/statement.ts'
import type { SummaryRow } from '../card-data/cards.store.ts'

export interface ClaimRow {
  readonly claim_id: string | null
  readonly claim_holder: Actor | null
  readonly claim_epoch: number
  readonly claim_expires_at: string | null
}

const columns = 'claim_id, claim_holder, claim_epoch, claim_expires_at'
type Card = { id: string }

// The clock of the database decides, so a lease ends also while every process of ours is down.
const take = brandStatement<Card & { holder: string; seconds: number; process: string | null }, ClaimRow>(
  (p) => sql`update boards.cards set claim_id = gen_random_uuid(), claim_holder = ${p.holder}::jsonb,
     claim_process = ${p.process}, claim_epoch = claim_epoch + 1,
     claim_expires_at = platform.clock_now() + make_interval(secs => ${p.seconds})
   where brand_id = ${p.brand_id} and id = ${p.id} returning ${columns}`,
)
const extend = brandStatement<Card & { seconds: number }, ClaimRow>(
  (p) => sql`update boards.cards
     set claim_expires_at = platform.clock_now() + make_interval(secs => ${p.seconds})
   where brand_id = ${p.brand_id} and id = ${p.id} returning ${columns}`,
)
// One statement without the lock of the board: nobody else can write a claim that still holds.
const beat = brandStatement<Card & { claim_id: string; epoch: number; seconds: number }, ClaimRow>(
  (p) => sql`update boards.cards c
     set claim_expires_at = platform.clock_now() + make_interval(secs => ${p.seconds})
   where c.brand_id = ${p.brand_id} and c.id = ${p.id} and c.claim_id = ${p.claim_id}
     and c.claim_epoch = ${p.epoch}
     and c.claim_expires_at > platform.clock_now()
     and exists (select 1 from boards.boards b
       where b.brand_id = ${p.brand_id} and b.id = c.board_id and b.archived_at is null)
   returning ${columns}`,
)
// The epoch rises, so that nothing which its worker still sends passes for that of the next one.
const end = brandStatement<Card, unknown>(
  (p) => sql`update boards.cards set claim_id = null, claim_holder = null, claim_process = null,
     claim_expires_at = null, claim_epoch = claim_epoch + 1
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)
type ReadyQuery = { board_id: string; task_type: string | null; limit: number }
// Free ones from the index of those; ended leases that nobody has noticed yet from the index of leases, where what
// still holds is not walked over.
const among = (
  p: Named<ReadyQuery & { brand_id: number }>,
  claim: string,
) => sql`(select id, number, title, status, column_id, assignee, branch, pr_number, pr_state, source, rank
     from boards.cards p
     where p.brand_id = ${p.brand_id} and p.board_id = ${p.board_id} and p.column_id = k.id and p.archived_at is null
       and p.open_blockers = 0 and p.status in ('pending', 'in_progress')
       and p.source <> 'guest' and p.source <> 'import'
       and (${p.task_type}::text is null or p.task_type = ${p.task_type})
       and ${claim}
     order by p.rank limit ${p.limit})`
// What a guest has written is worked on by those who name it; it is handed to nobody who takes what comes.
const ready = brandStatement<ReadyQuery, SummaryRow>(
  (
    p,
  ) => sql`select c.id, c.number, c.title, c.status, c.column_id, k.name as column_name, c.assignee, c.branch,
     c.pr_number, c.pr_state, c.source
   from boards.columns k
   cross join lateral (
     ${among(p, 'p.claim_id is null')}
     union all
     ${among(p, 'p.claim_id is not null and p.claim_expires_at <= platform.clock_now()')}
   ) c
   where k.brand_id = ${p.brand_id} and k.board_id = ${p.board_id} and k.status in ('pending', 'in_progress')
   order by k.rank, c.rank limit ${p.limit}`,
)

export const updateClaim = (
  ctx: BrandTx,
  id: string,
  claim: { holder: Actor; process: string | null; seconds: number },
) => ctx.db.first(take, { id, ...claim, holder: JSON.stringify(claim.holder) })
/** No row if the claim has ended. */
export const updateHeldLease = (
  ctx: BrandCtx,
  id: string,
  held: { claim_id: string; epoch: number; seconds: number },
) => ctx.db.first(beat, { id, ...held })
export const updateLease = (ctx: BrandTx, id: string, seconds: number) =>
  ctx.db.first(extend, { id, seconds })
export const deleteClaim = (ctx: BrandTx, id: string) => ctx.db.run(end, { id })
export const listReady = (ctx: BrandCtx, at: ReadyQuery) => ctx.db.all(ready, { ...at })
