import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, joined, type Parameter, sql, statement } from '#platform/db/statement.ts'

export interface BoardRef {
  readonly brand_id: number
  readonly board_id: string
}

const next = statement<BoardRef, BoardRef>(
  (
    p,
  ) => sql`select brand_id, id as board_id from boards.boards where (brand_id, id) > (${p.brand_id}, ${p.board_id}::uuid)
   order by brand_id, id limit 1`,
)
const brands = statement<{ person_id: number }, { brand_id: number }>(
  (p) => sql`select distinct brand_id from boards.guests where person_id = ${p.person_id} order by brand_id`,
)

type Bite = { readonly board_id: string; readonly bite: number; readonly named: string }

// Looks without a lock; only what names the person is locked and written.
const cards = brandStatement<Bite & { number: number }, { last: number | null; ids: string[] }>(
  (p) => sql`with bitten as materialized (
     select id, number,
       concat(assignee, delegate, reporter, created_by, updated_by, claim_holder) ~ ${p.named} as is_named
     from boards.cards where brand_id = ${p.brand_id} and board_id = ${p.board_id} and number > ${p.number} order by number limit ${p.bite})
   select max(number) as last, array(
     select id from bitten b where b.is_named
       or exists (select from boards.comments m where m.brand_id = ${p.brand_id} and m.card_id = b.id and m.author::text ~ ${p.named})
       or exists (select from boards.runs r where r.brand_id = ${p.brand_id} and r.card_id = b.id and r.started_by::text ~ ${p.named})
       or exists (select from boards.checklist_items i where i.brand_id = ${p.brand_id} and i.card_id = b.id and i.done_by::text ~ ${p.named})
       or exists (select from boards.attachments f where f.brand_id = ${p.brand_id} and f.card_id = b.id and f.created_by::text ~ ${p.named})
     order by id) as ids
   from bitten`,
)

const without = (column: string, person: Parameter) =>
  sql`${column} = platform.without_person(${column}, ${person}, '{}')`
const actors = ['assignee', 'delegate', 'reporter', 'created_by', 'updated_by', 'claim_holder']
type Naming = { ids: readonly string[]; person: number }
// Nobody has changed the card, so its version and times stay.
const redactCards = brandStatement<Naming, unknown>(
  (p) => sql`update boards.cards set ${joined(actors.map((actor) => without(actor, p.person)))}
   where brand_id = ${p.brand_id} and id = any(${p.ids}::uuid[])`,
)
const redactComments = brandStatement<Naming, unknown>(
  (p) => sql`update boards.comments set ${without('author', p.person)}
   where brand_id = ${p.brand_id} and card_id = any(${p.ids}::uuid[])`,
)
const redactRuns = brandStatement<Naming, unknown>(
  (p) => sql`update boards.runs set ${without('started_by', p.person)}
   where brand_id = ${p.brand_id} and card_id = any(${p.ids}::uuid[])`,
)

const redactItems = brandStatement<Naming, unknown>(
  (p) => sql`update boards.checklist_items set ${without('done_by', p.person)}
   where brand_id = ${p.brand_id} and card_id = any(${p.ids}::uuid[]) and done_by is not null`,
)

const redactAttachments = brandStatement<Naming, unknown>(
  (p) => sql`update boards.attachments set ${without('created_by', p.person)}
   where brand_id = ${p.brand_id} and card_id = any(${p.ids}::uuid[])`,
)

const activity = brandStatement<
  Bite & { created_at: string; id: string; person: number },
  { created_at: string; id: string }
>(
  (p) => sql`with bitten as materialized (
     select created_at, id from boards.activity
     where brand_id = ${p.brand_id} and board_id = ${p.board_id} and created_at >= ${p.created_at} and (created_at, id) > (${p.created_at}, ${p.id}::bigint)
     order by created_at, id limit ${p.bite}),
   redacted as (
     update boards.activity a set actor = platform.without_person(a.actor, ${p.person}, '{}'),
       data = platform.without_person(a.data, ${p.person}, '{}'),
       told = platform.without_person(a.told, ${p.person}, '{}')
     from bitten b where a.brand_id = ${p.brand_id} and a.board_id = ${p.board_id} and a.created_at = b.created_at and a.id = b.id
       and (a.actor::text ~ ${p.named} or a.data::text ~ ${p.named} or a.told::text ~ ${p.named}))
   select created_at, id::text as id from bitten order by bitten.created_at desc, bitten.id desc limit 1`,
)

export const findNextBoard = (ctx: SystemCtx, after: BoardRef) => ctx.overBrands().db.first(next, after)
export const listBrandsOfGuest = async (ctx: SystemCtx, person_id: number): Promise<number[]> =>
  (await ctx.overBrands().db.all(brands, { person_id })).map(({ brand_id }) => brand_id)
/** Cards after that number which name the person, or have a comment, a run, a checklist item or a file that does. */
export const findNamingCards = (
  ctx: BrandCtx,
  bite: { board_id: string; number: number; bite: number; named: string },
) => ctx.db.first(cards, bite)
/** Only under the lock of the board: changes of a card write back what they read under it. */
export async function updateNamingCards(ctx: BrandTx, ids: readonly string[], person: number) {
  for (const each of [redactCards, redactComments, redactRuns, redactItems, redactAttachments])
    await ctx.db.run(each, { ids, person })
}
/** Returns the last entry of the batch. */
export const updateNamingActivity = (
  ctx: BrandCtx,
  after: { board_id: string; created_at: string; id: string; bite: number; named: string; person: number },
) => ctx.db.first(activity, after)
