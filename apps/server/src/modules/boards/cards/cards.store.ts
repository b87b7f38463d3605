import type { Actor, CardStatus, FullCard, Worker } from '@crewhall/contracts/boards/card-fields.ts'
import { clientRefTaken } from '@crewhall/contracts/boards/refusals.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { violates } from '#platform/db/pg-errors.ts'
import { sqlStatement } from '#platform/db/statement.ts'
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
  c.pr_number, c.pr_state`
export const standardFields = `${summaryFields}, c.board_id, c.task_type, c.priority, c.labels, c.estimate, c.description,
  c.rank, c.version, c.delegate, c.reporter, c.created_by, c.updated_by, c.source, c.client_ref, c.parent_id,
  c.blocked_by, c.open_blockers, c.blocks_count, c.children_count, c.comments_count, c.attachments_count,
  c.runs_count, c.checklist_total, c.checklist_done, c.blocked_reason, c.repository, c.base_branch, c.commit_sha,
  c.pr_url, c.merged_at, c.agent_context, c.claim_id, c.claim_holder, c.claim_process, c.claim_epoch, c.claim_expires_at,
  coalesce(c.claim_expires_at > platform.now(), false) as is_claimed, c.last_run_id, c.last_run_status,
  c.last_run_at, c.usage_tokens, c.usage_cost_micros, c.created_at, c.updated_at, c.moved_at, c.started_at,
  c.completed_at, c.start_at, c.due_at, c.last_commented_at, c.archived_at`
export const fullFields = `${standardFields}, t.instructions, t.acceptance_criteria, t.plan, t.notes, t.result, t.review, t.log`
const withTexts = 'join boards.card_texts t on t.brand_id = c.brand_id and t.card_id = c.id'

type PageKeys = { brand_id: number; board_id: string; offset: number; limit: number }

// Columns know how many cards they hold, so a page is a slice of one or a few of them, and only ids of that
// slice are walked. `detail` changes the projection, never the cards (BRD-06). Rows are fetched one by one, by
// key: as a join, the planner expects many and reads the whole table.
const page = <Row>(fields: string, more = '') =>
  sqlStatement<PageKeys, Row>(
    `with k as (
       select id, name, rank, card_count,
         (sum(card_count) over (order by rank, id) - card_count)::bigint as before
       from boards.columns where brand_id = $1 and board_id = $2
     )
     select ${fields}
     from k
     cross join lateral (
       select p.id, p.rank from boards.cards p
       where p.brand_id = $1 and p.board_id = $2 and p.column_id = k.id and p.archived_at is null
       order by p.rank, p.id
       limit greatest(0, least(k.before + k.card_count, $3::bigint + $4) - greatest(k.before, $3::bigint))
       offset greatest(0, $3::bigint - k.before)
     ) place
     cross join lateral (select * from boards.cards c where c.brand_id = $1 and c.id = place.id limit 1) c ${more}
     where k.before < $3::bigint + $4 and k.before + k.card_count > $3::bigint
     order by k.rank, k.id, place.rank, place.id`,
    'brand_id',
    'board_id',
    'offset',
    'limit',
  )
const pages = {
  summary: page<SummaryRow>(summaryFields),
  standard: page<StandardRow>(standardFields),
  full: page<FullRow>(
    fullFields,
    'cross join lateral (select * from boards.card_texts t where t.brand_id = $1 and t.card_id = place.id limit 1) t',
  ),
}

const one = (fields: string, tail = '') =>
  sqlStatement<{ brand_id: number; id: string }, FullRow>(
    `select ${fields} from boards.cards c
     join boards.columns k on k.brand_id = c.brand_id and k.id = c.column_id ${withTexts}
     where c.brand_id = $1 and c.id = $2 ${tail}`,
    'brand_id',
    'id',
  )
const find = one(fullFields)
// It may have waited, so whether the lease holds is asked of the clock and not of the beginning of the transaction.
const lock = one(fullFields.replace('platform.now()', 'platform.clock_now()'), 'for no key update of c')
const findBoard = sqlStatement<{ brand_id: number; id: string }, { board_id: string }>(
  'select board_id from boards.cards where brand_id = $1 and id = $2',
  'brand_id',
  'id',
)

const written = [
  ...['column_id', 'rank', 'title', 'status', 'task_type', 'priority', 'labels', 'estimate', 'description'],
  ...[
    'assignee',
    'delegate',
    'blocked_reason',
    'repository',
    'branch',
    'base_branch',
    'commit_sha',
    'pr_number',
  ],
  ...['pr_url', 'pr_state', 'merged_at', 'agent_context', 'start_at', 'due_at', 'checklist_total'],
  ...['checklist_done', 'updated_by', 'source', 'started_at', 'completed_at', 'moved_at', 'updated_at'],
] as const satisfies readonly (keyof CardValues)[]
const texts = ['instructions', 'acceptance_criteria', 'plan', 'notes', 'result', 'review', 'log'] as const
type Texts = Readonly<Record<(typeof texts)[number], string>>

const places = (from: number, count: number) => Array.from({ length: count }, (_, at) => `$${from + at}`)

const made = [
  'brand_id',
  'board_id',
  'id',
  'number',
  'client_ref',
  'reporter',
  'created_by',
  'created_at',
  ...written,
]
const add = sqlStatement<Record<string, unknown>, unknown>(
  `insert into boards.cards (${made.join(', ')}) values (${places(1, made.length).join(', ')})`,
  ...made,
)
const addTexts = sqlStatement<Record<string, unknown>, unknown>(
  `insert into boards.card_texts (brand_id, card_id, ${texts.join(', ')})
   values ($1, $2, ${places(3, texts.length).join(', ')})`,
  'brand_id',
  'card_id',
  ...texts,
)
const update = sqlStatement<Record<string, unknown>, unknown>(
  `update boards.cards set ${written.map((name, at) => `${name} = $${at + 3}`).join(', ')},
     version = version + 1
   where brand_id = $1 and id = $2`,
  'brand_id',
  'id',
  ...written,
)
// A statement for each, because one that names them all writes them all anew.
const updateText = new Map(
  texts.map((name) => [
    name,
    sqlStatement<{ brand_id: number; card_id: string; value: string }, unknown>(
      `update boards.card_texts set ${name} = $3 where brand_id = $1 and card_id = $2`,
      'brand_id',
      'card_id',
      'value',
    ),
  ]),
)
const setArchived = sqlStatement<Record<string, unknown>, unknown>(
  `update boards.cards set archived_at = case when $3 then t.now end, updated_by = $4,
     version = version + 1, updated_at = t.now
   from (select platform.clock_now() as now) t
   where brand_id = $1 and id = $2`,
  'brand_id',
  'id',
  'archived',
  'updated_by',
)

type Place = { brand_id: number; board_id: string; column_id: string }
// Archived cards keep their rank, so neighbours are looked for among them too.
const lastRank = sqlStatement<Place, { rank: string }>(
  `select rank from boards.cards where brand_id = $1 and board_id = $2 and column_id = $3
   order by rank desc limit 1`,
  'brand_id',
  'board_id',
  'column_id',
)
const neighbour = (side: '<' | '>') =>
  sqlStatement<Place & { rank: string; besides: string }, { rank: string }>(
    `select rank from boards.cards
     where brand_id = $1 and board_id = $2 and column_id = $3 and rank ${side} $4 and id <> $5
     order by rank ${side === '<' ? 'desc' : 'asc'} limit 1`,
    'brand_id',
    'board_id',
    'column_id',
    'rank',
    'besides',
  )
const before = neighbour('<')
const after = neighbour('>')

export interface CardPage {
  readonly board_id: string
  readonly offset: number
  readonly limit: number
}
export const listSummaryCards = (ctx: BrandCtx, at: CardPage) =>
  ctx.db.all(pages.summary, { brand_id: ctx.brandId, ...at })
export const listStandardCards = (ctx: BrandCtx, at: CardPage) =>
  ctx.db.all(pages.standard, { brand_id: ctx.brandId, ...at })
export const listFullCards = (ctx: BrandCtx, at: CardPage) =>
  ctx.db.all(pages.full, { brand_id: ctx.brandId, ...at })
export const findCard = (ctx: BrandCtx, id: string) => ctx.db.first(find, { brand_id: ctx.brandId, id })
/** Only after the board was locked. */
export const lockCard = (ctx: BrandTx, id: string) => ctx.db.first(lock, { brand_id: ctx.brandId, id })
export const findBoardOfCard = async (ctx: BrandCtx, id: string) =>
  (await ctx.db.first(findBoard, { brand_id: ctx.brandId, id }))?.board_id

export async function insertCard(
  ctx: BrandTx,
  card: CardValues &
    Readonly<
      Record<'board_id' | 'number' | 'client_ref' | 'reporter' | 'created_by' | 'created_at', unknown>
    > & {
      readonly id: string
    },
  long: Texts,
): Promise<void> {
  try {
    await ctx.db.inOrder([
      ctx.db.run(add, { brand_id: ctx.brandId, ...card }),
      ctx.db.run(addTexts, { brand_id: ctx.brandId, card_id: card.id, ...long }),
    ])
  } catch (error) {
    if (violates(error, 'cards_client_ref_key')) throw clientRefTaken()
    throw error
  }
}
export const updateCard = (ctx: BrandTx, id: string, card: CardValues) =>
  ctx.db.run(update, { brand_id: ctx.brandId, id, ...card })
export async function updateCardText(
  ctx: BrandTx,
  card_id: string,
  name: (typeof texts)[number],
  value: string,
): Promise<void> {
  const statement = updateText.get(name)
  if (statement) await ctx.db.run(statement, { brand_id: ctx.brandId, card_id, value })
}
export const updateCardArchived = (ctx: BrandTx, id: string, archived: boolean, by: Actor) =>
  ctx.db.run(setArchived, { brand_id: ctx.brandId, id, archived, updated_by: JSON.stringify(by) })

type Spot = { board_id: string; column_id: string }
export const findLastRank = async (ctx: BrandTx, spot: Spot) =>
  (await ctx.db.first(lastRank, { brand_id: ctx.brandId, ...spot }))?.rank ?? null
export const findRankBefore = async (ctx: BrandTx, spot: Spot & { rank: string; besides: string }) =>
  (await ctx.db.first(before, { brand_id: ctx.brandId, ...spot }))?.rank ?? null
export const findRankAfter = async (ctx: BrandTx, spot: Spot & { rank: string; besides: string }) =>
  (await ctx.db.first(after, { brand_id: ctx.brandId, ...spot }))?.rank ?? null
