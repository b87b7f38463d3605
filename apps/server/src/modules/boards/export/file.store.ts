import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'
import type { ItemRow } from '../checklists/checklists.store.ts'
import type { CommentRow } from '../comments/comments.store.ts'
import type { RelationRow } from '../relations/relations.store.ts'
import type { CsvCard } from './csv.rules.ts'
import { after, type ColumnWalk } from './export.store.ts'

const parentRef = `(select b.key || '-' || p.number from boards.cards p
       join boards.boards b on b.brand_id = p.brand_id and b.id = p.board_id
       where p.brand_id = c.brand_id and p.id = c.parent_id) as parent_ref`
const cards =
  after<CsvCard>(`number, title, status, task_type, priority, labels, estimate, assignee, delegate,
       ${parentRef}, start_at, due_at, description, blocked_reason, repository, branch, pr_number, pr_url, pr_state,
       source, client_ref, created_at, updated_at, started_at, completed_at`)

/** What a card takes, so that small ones are read together. */
export interface ExportPlace {
  readonly id: string
  readonly bytes: number
}
/** Of each card, comments that are read with it; more of them are read a page at a time. */
export const firstComments = 10
const places = after<ExportPlace>(`id, 4000 + octet_length(title) + octet_length(description)
       + pg_column_size(agent_context) + 8192 * least(comments_count, ${firstComments}) + (select octet_length(t.instructions)
       + octet_length(t.acceptance_criteria) + octet_length(t.plan) + octet_length(t.notes) + octet_length(t.result)
       + octet_length(t.review) + octet_length(t.log) from boards.card_texts t
       where t.brand_id = c.brand_id and t.card_id = c.id) as bytes`)

type Cards = { readonly ids: readonly string[] }

const items = brandStatement<Cards, ItemRow>(
  (p) => sql`select i.* from unnest(${p.ids}::uuid[]) as place (id) cross join lateral (
     select id, card_id, text, place, done_by, done_at, created_at from boards.checklist_items i
     where i.brand_id = ${p.brand_id} and i.card_id = place.id) i order by i.card_id, i.place, i.id`,
)
const relations = brandStatement<Cards, RelationRow & { readonly card_id: string }>(
  (
    p,
  ) => sql`select r.card_id, r.kind, r.is_first, c.id, c.board_id, b.key, c.number, c.title, c.status, c.source
   from unnest(${p.ids}::uuid[]) as place (id)
   cross join lateral (
     select place.id as card_id, kind, true as is_first, other_id as id, created_at from boards.relations
     where brand_id = ${p.brand_id} and card_id = place.id
     union all
     select place.id, kind, false, card_id, created_at from boards.relations
     where brand_id = ${p.brand_id} and other_id = place.id
   ) r
   join boards.cards c on c.brand_id = ${p.brand_id} and c.id = r.id
   join boards.boards b on b.brand_id = ${p.brand_id} and b.id = c.board_id
   order by r.card_id, r.kind, r.is_first, r.created_at, c.id`,
)
const commentFields = 'id, card_id, parent_id, body, author, created_at, edited_at'
/** A page of the comments of one card, by the place of the last one. */
export interface CommentWalk {
  readonly card_id: string
  readonly created_at: string
  readonly id: string
  readonly limit: number
}
const first = brandStatement<Cards, CommentRow>(
  (p) => sql`select m.* from unnest(${p.ids}::uuid[]) as place (id) cross join lateral (
     select ${commentFields} from boards.comments
     where brand_id = ${p.brand_id} and card_id = place.id order by created_at, id limit ${String(firstComments)}) m
   order by m.card_id, m.created_at, m.id`,
)
const comments = brandStatement<CommentWalk, CommentRow>(
  (p) => sql`select ${commentFields} from boards.comments
   where brand_id = ${p.brand_id} and card_id = ${p.card_id}
     and (created_at, id) > (${p.created_at}::timestamptz, ${p.id}::uuid)
   order by created_at, id limit ${p.limit}`,
)

export const listCsvCardsAfter = (ctx: BrandCtx, at: ColumnWalk) => ctx.db.all(cards, at)
export const listPlacesAfter = (ctx: BrandCtx, at: ColumnWalk) => ctx.db.all(places, at)
export const listItemsOf = (ctx: BrandCtx, ids: readonly string[]) => ctx.db.all(items, { ids })
export const listRelationsOf = (ctx: BrandCtx, ids: readonly string[]) => ctx.db.all(relations, { ids })
export const listFirstComments = (ctx: BrandCtx, ids: readonly string[]) => ctx.db.all(first, { ids })
export const listCommentsAfter = (ctx: BrandCtx, at: CommentWalk) => ctx.db.all(comments, at)
