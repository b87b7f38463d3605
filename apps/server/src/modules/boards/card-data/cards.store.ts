import type { Actor, CardStatus, FullCard, Worker } from '@crewhall/contracts/boards/card-fields.ts'
import type { CardRef } from '@crewhall/contracts/boards/task-ids.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, joined, type Named, type Sql, sql } from '#platform/db/statement.ts'
import type { CardValues } from './card-values.rules.ts'

/** What every detail needs; the presenter adds what the board knows. */
export interface SummaryRow {
  readonly id: string
  readonly number: number
  readonly title: string
  readonly status: CardStatus
  readonly column_id: string
  readonly column_name: string
  readonly assignee: Worker | null
  readonly branch: string | null
  readonly pr_number: number | null
  readonly pr_state: FullCard['pr_state']
  readonly source: FullCard['source']
}

type Plain = Omit<
  FullCard,
  keyof SummaryRow | 'ref' | 'column' | 'board' | 'board_id' | 'project_id' | 'claim' | 'is_ready'
>
type Long = Pick<
  FullCard,
  'instructions' | 'acceptance_criteria' | 'plan' | 'notes' | 'result' | 'review' | 'log'
>

export interface StandardRow extends SummaryRow, Omit<Plain, keyof Long> {
  readonly board_id: string
  readonly claim_id: string | null
  readonly claim_holder: Actor | null
  readonly claim_process: string | null
  readonly claim_expires_at: string | null
  /** By the clock of the database. */
  readonly is_claimed: boolean
}
export interface FullRow extends StandardRow, Long {}

export const summaryFields = `c.id, c.number, c.title, c.status, c.column_id, k.name as column_name, c.assignee, c.branch,
  c.pr_number, c.pr_state, c.source`
export const standardFields = `${summaryFields}, c.board_id, c.task_type, c.priority, c.labels, c.estimate, c.description,
  c.rank, c.version, c.delegate, c.reporter, c.created_by, c.updated_by, c.client_ref, c.parent_id,
  c.blocked_by, c.open_blockers, c.blocks_count, c.children_count, c.comments_count, c.attachments_count,
  c.runs_count, c.checklist_total + c.items_total as checklist_total,
  c.checklist_done + c.items_done as checklist_done, c.blocked_reason, c.repository, c.base_branch, c.commit_sha,
  c.pr_url, c.merged_at, c.agent_context, c.claim_id, c.claim_holder, c.claim_process, c.claim_epoch, c.claim_expires_at,
  coalesce(c.claim_expires_at > platform.now(), false) as is_claimed, c.last_run_id, c.last_run_status,
  c.last_run_at, c.usage_tokens, c.usage_cost_micros, c.created_at, c.updated_at, c.moved_at, c.started_at,
  c.completed_at, c.start_at, c.due_at, c.last_commented_at, c.archived_at`
export const fullFields = `${standardFields}, t.instructions, t.acceptance_criteria, t.plan, t.notes, t.result, t.review, t.log`
const withTexts = 'join boards.card_texts t on t.brand_id = c.brand_id and t.card_id = c.id'

/** What a whole card takes, as far as it can be long; the rest of it is never more than `cardBytes`. */
export interface SizedRow {
  readonly id: string
  readonly column_id: string
  readonly bytes: number
}
const cardBytes = 50_000
export const sizedFields = `c.id, c.column_id, ${cardBytes} + octet_length(t.instructions) + octet_length(t.acceptance_criteria)
  + octet_length(t.plan) + octet_length(t.notes) + octet_length(t.result) + octet_length(t.review)
  + octet_length(t.log) as bytes`

type InBrand = Named<{ brand_id: number }>
export const nothing = (_: InBrand): Sql => sql``
export const textsOfPlace = (p: InBrand): Sql =>
  sql`cross join lateral (select * from boards.card_texts t
       where t.brand_id = ${p.brand_id} and t.card_id = place.id limit 1) t`

type PageKeys = { board_id: string; offset: number; limit: number }

// Columns know how many cards they hold, so a page is a slice of one or a few of them, and only ids of that
// slice are walked. `detail` changes the projection, never the cards (BRD-06). Rows are fetched one by one, by
// key: as a join, the planner expects many and reads the whole table.
const page = <Row>(fields: string, more = nothing) =>
  brandStatement<PageKeys, Row>(
    (p) => sql`with k as (
       select id, name, rank, card_count,
         (sum(card_count) over (order by rank, id) - card_count)::bigint as before
       from boards.columns where brand_id = ${p.brand_id} and board_id = ${p.board_id}
     )
     select ${fields}
     from k
     cross join lateral (
       select p.id, p.rank from boards.cards p
       where p.brand_id = ${p.brand_id} and p.board_id = ${p.board_id} and p.column_id = k.id
         and p.archived_at is null
       order by p.rank, p.id
       limit greatest(0, least(k.before + k.card_count, ${p.offset}::bigint + ${p.limit}) - greatest(k.before,
         ${p.offset}::bigint))
       offset greatest(0, ${p.offset}::bigint - k.before)
     ) place
     cross join lateral (select * from boards.cards c where c.brand_id = ${p.brand_id} and c.id = place.id
       limit 1) c ${more(p)}
     where k.before < ${p.offset}::bigint + ${p.limit} and k.before + k.card_count > ${p.offset}::bigint
     order by k.rank, k.id, place.rank, place.id`,
  )
const pages = {
  summary: page<SummaryRow>(summaryFields),
  standard: page<StandardRow>(standardFields),
  sized: page<SizedRow>(sizedFields, textsOfPlace),
}

const one = (fields: string, tail = '') =>
  brandStatement<{ id: string }, FullRow>(
    (p) => sql`select ${fields} from boards.cards c
     join boards.columns k on k.brand_id = c.brand_id and k.id = c.column_id ${withTexts}
     where c.brand_id = ${p.brand_id} and c.id = ${p.id} ${tail}`,
  )
const find = one(fullFields)
const some = brandStatement<{ ids: readonly string[] }, FullRow>(
  (p) => sql`select ${fullFields} from unnest(${p.ids}::uuid[]) with ordinality as place (id, at)
   cross join lateral (select * from boards.cards c where c.brand_id = ${p.brand_id} and c.id = place.id limit 1) c
   join boards.columns k on k.brand_id = ${p.brand_id} and k.id = c.column_id ${textsOfPlace(p)}
   order by place.at`,
)
// It may have waited for the lock, so the lease is compared with the clock, not with the start of the transaction.
const lock = one(fullFields.replace('platform.now()', 'platform.clock_now()'), 'for no key update of c')
const findByRef = brandStatement<CardRef, { id: string }>(
  (p) => sql`select c.id from boards.boards b
   join boards.cards c on c.brand_id = b.brand_id and c.board_id = b.id
   where b.brand_id = ${p.brand_id} and b.key = ${p.key} and c.number = ${p.number}`,
)
const findBoard = brandStatement<{ id: string }, { board_id: string }>(
  (p) => sql`select board_id from boards.cards where brand_id = ${p.brand_id} and id = ${p.id}`,
)

/** What a change writes, all at once. */
export const written = [
  'column_id',
  'rank',
  'title',
  'status',
  'task_type',
  'priority',
  'labels',
  'estimate',
  'description',
  'assignee',
  'delegate',
  'blocked_reason',
  'repository',
  'branch',
  'base_branch',
  'commit_sha',
  'pr_number',
  'pr_url',
  'pr_state',
  'merged_at',
  'agent_context',
  'start_at',
  'due_at',
  'checklist_total',
  'checklist_done',
  'updated_by',
  'source',
  'started_at',
  'completed_at',
  'moved_at',
  'updated_at',
] as const satisfies readonly (keyof CardValues)[]
export const texts = [
  'instructions',
  'acceptance_criteria',
  'plan',
  'notes',
  'result',
  'review',
  'log',
] as const
export type Texts = Readonly<Record<(typeof texts)[number], string>>

const update = brandStatement<CardValues & { id: string }, unknown>(
  (p) => sql`update boards.cards set ${joined(written.map((name) => sql`${name} = ${p[name]}`))},
     version = version + 1
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)
// One statement per field, because a statement with all fields would rewrite all of them.
const updateText = new Map(
  texts.map((name) => [
    name,
    brandStatement<{ card_id: string; value: string }, unknown>(
      (p) => sql`update boards.card_texts set ${name} = ${p.value} where brand_id = ${p.brand_id}
     and card_id = ${p.card_id}`,
    ),
  ]),
)
const setArchived = brandStatement<{ id: string; archived: boolean; updated_by: string }, unknown>(
  (p) => sql`update boards.cards set archived_at = case when ${p.archived} then t.now end,
     updated_by = ${p.updated_by}, version = version + 1, updated_at = t.now
   from (select platform.clock_now() as now) t
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)

export interface CardPage {
  readonly board_id: string
  readonly offset: number
  readonly limit: number
}
export const listSummaryCards = (ctx: BrandCtx, at: CardPage) => ctx.db.all(pages.summary, at)
export const listStandardCards = (ctx: BrandCtx, at: CardPage) => ctx.db.all(pages.standard, at)
export const listSizedCards = (ctx: BrandCtx, at: CardPage) => ctx.db.all(pages.sized, at)
/** In the order of the ids. */
export const listFullCards = (ctx: BrandCtx, ids: readonly string[]) => ctx.db.all(some, { ids })
export const findCard = (ctx: BrandCtx, id: string) => ctx.db.first(find, { id })
export const findCardByRef = async (ctx: BrandCtx, ref: CardRef) => (await ctx.db.first(findByRef, ref))?.id
/** Only after the board was locked. */
export const lockCard = (ctx: BrandTx, id: string) => ctx.db.first(lock, { id })
export const findBoardOfCard = async (ctx: BrandCtx, id: string) =>
  (await ctx.db.first(findBoard, { id }))?.board_id

export const updateCard = (ctx: BrandTx, id: string, card: CardValues) => ctx.db.run(update, { id, ...card })
export async function updateCardText(
  ctx: BrandTx,
  card_id: string,
  name: (typeof texts)[number],
  value: string,
): Promise<void> {
  const statement = updateText.get(name)
  if (statement) await ctx.db.run(statement, { card_id, value })
}
export const updateCardArchived = (ctx: BrandTx, id: string, archived: boolean, by: Actor) =>
  ctx.db.run(setArchived, { id, archived, updated_by: JSON.stringify(by) })
