import type { Actor, CardStatus, FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import type { Run } from '@crewhall/contracts/boards/runs.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

export interface ContextRow
  extends Pick<
    FullCard,
    | ('id' | 'number' | 'title' | 'status' | 'task_type' | 'priority' | 'source' | 'version' | 'claim_epoch')
    | ('parent_id' | 'open_blockers' | 'runs_count' | 'comments_count' | 'agent_context' | 'description')
    | ('repository' | 'branch' | 'base_branch' | 'commit_sha' | 'pr_number' | 'pr_url' | 'pr_state')
    | (
        | 'merged_at'
        | 'instructions'
        | 'acceptance_criteria'
        | 'plan'
        | 'notes'
        | 'review'
        | 'result'
        | 'labels'
      )
  > {
  readonly key: string
  readonly items_total: number
  /** Of its board. */
  readonly project_id: string | null
  readonly column_name: string
}
export interface OtherRow {
  readonly id: string
  readonly version: number
  readonly key: string
  readonly number: number
  readonly title: string
  readonly status: CardStatus
}
export interface ItemText {
  readonly text: string
  readonly done: boolean
}
/** Texts as far as they are shown, and how long they are. */
export interface RunText
  extends Pick<
    Run,
    'id' | 'number' | 'status' | 'reason' | 'summary' | 'started_by' | 'started_at' | 'finished_at'
  > {
  readonly summary_bytes: number
}
export interface CommentText {
  readonly id: string
  readonly edited_at: string | null
  readonly author: Actor
  readonly created_at: string
  readonly body: string
  readonly body_bytes: number
}

type Card = { id: string }

const card = brandStatement<Card, ContextRow>(
  (p) => sql`select c.id, c.number, b.key, b.project_id, c.title, c.status, k.name as column_name,
     c.task_type, c.priority, c.source, c.version,
     c.claim_epoch, c.parent_id, c.open_blockers, c.runs_count, c.comments_count, c.items_total,
       c.agent_context, c.description,
     c.repository, c.branch, c.base_branch, c.commit_sha, c.pr_number, c.pr_url, c.pr_state, c.merged_at,
     t.instructions, t.acceptance_criteria, t.plan, t.notes, t.review, t.result, c.labels
   from boards.cards c
   join boards.boards b on b.brand_id = ${p.brand_id} and b.id = c.board_id
   join boards.columns k on k.brand_id = ${p.brand_id} and k.id = c.column_id
   join boards.card_texts t on t.brand_id = ${p.brand_id} and t.card_id = c.id
   where c.brand_id = ${p.brand_id} and c.id = ${p.id}`,
)
const other = brandStatement<Card, OtherRow>(
  (p) => sql`select c.id, c.version, b.key, c.number, c.title, c.status from boards.cards c
   join boards.boards b on b.brand_id = ${p.brand_id} and b.id = c.board_id
   where c.brand_id = ${p.brand_id} and c.id = ${p.id}`,
)
const blockers = brandStatement<Card & { limit: number }, OtherRow>(
  (p) => sql`select c.id, c.version, b.key, c.number, c.title, c.status
   from boards.relations r
   join boards.cards c on c.brand_id = ${p.brand_id} and c.id = r.card_id
   join boards.boards b on b.brand_id = ${p.brand_id} and b.id = c.board_id
   where r.brand_id = ${p.brand_id} and r.other_id = ${p.id} and r.kind = 'blocks'
     and c.status not in ('done', 'canceled') and c.archived_at is null
   order by r.created_at, r.card_id limit ${p.limit}`,
)
const items = brandStatement<Card & { limit: number }, ItemText>(
  (p) => sql`select text, done_at is not null as done from boards.checklist_items i
   where brand_id = ${p.brand_id} and card_id = ${p.id} order by place, i.id limit ${p.limit}`,
)
// A text is read as far as it is shown; its length is known without reading it.
const runs = brandStatement<Card & { limit: number; characters: number }, RunText>(
  (p) => sql`select id, number, status, reason, left(summary, ${p.characters}) as summary,
     octet_length(summary) as summary_bytes, started_by, started_at, finished_at
   from boards.runs where brand_id = ${p.brand_id} and card_id = ${p.id} order by number desc limit ${p.limit}`,
)
const comments = brandStatement<Card & { limit: number; characters: number }, CommentText>(
  (
    p,
  ) => sql`select c.id, edited_at, author, created_at, left(body, ${p.characters}) as body, octet_length(body) as body_bytes
   from boards.comments c where brand_id = ${p.brand_id} and card_id = ${p.id}
   order by created_at desc, c.id desc limit ${p.limit}`,
)

export const findContextCard = (ctx: BrandCtx, id: string) => ctx.db.first(card, { id })
export const findOtherCard = (ctx: BrandCtx, id: string) => ctx.db.first(other, { id })
export const listOpenBlockers = (ctx: BrandCtx, id: string, limit: number) =>
  ctx.db.all(blockers, { id, limit })
export const listChecklist = (ctx: BrandCtx, id: string, limit: number) => ctx.db.all(items, { id, limit })
interface Newest {
  readonly limit: number
  readonly characters: number
}
export const listNewestRuns = (ctx: BrandCtx, id: string, newest: Newest) =>
  ctx.db.all(runs, { id, ...newest })
export const listNewestComments = (ctx: BrandCtx, id: string, newest: Newest) =>
  ctx.db.all(comments, { id, ...newest })
