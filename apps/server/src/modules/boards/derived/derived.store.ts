import { derivedTable } from '#platform/db/derived.ts'
import { wrongSums } from './sums-recount.store.ts'

const related = (fields: string, side: 'card_id' | 'other_id', kind: string, tail = '') =>
  `(select ${fields} from boards.relations r
     where r.brand_id = t.brand_id and r.${side} = t.id and r.kind = '${kind}'${tail})`
const lastRun = (field: string) =>
  `(select r.${field} from boards.runs r where r.brand_id = t.brand_id and r.card_id = t.id
     order by r.number desc limit 1)`
const runs = (value: string) =>
  `(select ${value} from boards.runs r where r.brand_id = t.brand_id and r.card_id = t.id)`
const comments = (value: string) =>
  `(select ${value} from boards.comments m where m.brand_id = t.brand_id and m.card_id = t.id)`
const items = (value: string) =>
  `(select ${value} from boards.checklist_items i where i.brand_id = t.brand_id and i.card_id = t.id)`
const attachments = (value: string, of: string) =>
  `(select ${value} from boards.attachments f where f.brand_id = t.brand_id${of})`
const inCycle = (value: string, more = '') =>
  `(select ${value} from boards.cards c where c.brand_id = t.brand_id and c.cycle_id = t.id
     and c.archived_at is null and c.status <> 'canceled'${more})`
const estimates = 'coalesce(sum(c.estimate::numeric), 0)'
const done = ` and c.status = 'done'`
const late = ' and c.cycle_is_added'
// Lines end as in `deriveChecklist`.
const boxes = (mark: string) =>
  `(select regexp_count(translate(x.acceptance_criteria, E'\\r\\u2028\\u2029', E'\\n\\n\\n'),
      '^[ \\t]*[-*+] \\[${mark}\\](?= |$)', 1, 'n')
    from boards.card_texts x where x.brand_id = t.brand_id and x.card_id = t.id)`

const searched = (card: string, comment: string) =>
  `(select case when t.comment_id is null then ${card} else ${comment} end
     from boards.cards c left join boards.comments m on m.brand_id = t.brand_id and m.id = t.comment_id
     where c.brand_id = t.brand_id and c.id = t.card_id)`

/** Values stored on boards, columns and cards only so that lists need not count. */
export const derivedOfBoards = [
  derivedTable({
    table: 'boards.boards',
    rows: 20,
    truths: {
      card_count: `(select count(*) from boards.cards c
         where c.brand_id = t.brand_id and c.board_id = t.id and c.archived_at is null)`,
      // Numbers of cards that an undone import had made are not given again.
      next_number: `greatest(t.next_number, (select coalesce(max(c.number), 0) + 1 from boards.cards c
         where c.brand_id = t.brand_id and c.board_id = t.id))`,
      // The newest entry may have been dropped with its month, but none is newer.
      last_activity_at: `greatest(t.last_activity_at, (select max(a.created_at) from boards.activity a
         where a.brand_id = t.brand_id and a.board_id = t.id))`,
    },
    faults: { sums: wrongSums },
  }),
  derivedTable({
    table: 'boards.columns',
    rows: 50,
    truths: {
      card_count: `(select count(*) from boards.cards c where c.brand_id = t.brand_id and c.board_id = t.board_id
         and c.column_id = t.id and c.archived_at is null)`,
    },
  }),
  derivedTable({
    table: 'boards.labels',
    rows: 50,
    truths: {
      card_count: `(select count(*) from boards.cards c where c.brand_id = t.brand_id and c.board_id = t.board_id
         and c.archived_at is null and t.name = any(c.labels))`,
    },
  }),
  derivedTable({
    table: 'boards.cycles',
    rows: 20,
    truths: {
      cards: inCycle('count(*)'),
      cards_done: inCycle('count(*)', done),
      cards_unsized: inCycle('count(*)', ' and c.estimate is null'),
      cards_added: inCycle('count(*)', late),
      estimate: inCycle(estimates),
      estimate_done: inCycle(estimates, done),
      estimate_added: inCycle(estimates, late),
    },
  }),
  derivedTable({
    table: 'boards.cards',
    rows: 500,
    truths: {
      // While a column changes, its cards follow in batches.
      status: `(select case when k.cards_changing > 0 then t.status else k.status end
         from boards.columns k where k.brand_id = t.brand_id and k.id = t.column_id)`,
      completed_at: `case when t.status in ('done', 'canceled')
         then coalesce(t.completed_at, t.moved_at) end`,
      blocked_by: `coalesce(${related('array_agg(r.card_id order by r.created_at, r.card_id)', 'other_id', 'blocks')}, '{}')`,
      open_blockers: related(
        'count(*)',
        'other_id',
        'blocks',
        ` and exists (select 1 from boards.cards b where b.brand_id = r.brand_id and b.id = r.card_id
         and b.status not in ('done', 'canceled') and b.archived_at is null)`,
      ),
      blocks_count: related('count(*)', 'card_id', 'blocks'),
      children_count: related('count(*)', 'card_id', 'parent'),
      parent_id: related('r.card_id', 'other_id', 'parent', ' limit 1'),
      comments_count: comments('count(*)'),
      last_commented_at: comments('max(m.created_at)'),
      runs_count: runs('count(*)'),
      last_run_id: lastRun('id'),
      last_run_status: lastRun('status'),
      usage_tokens: runs('coalesce(sum(r.usage_tokens), 0)::bigint'),
      usage_cost_micros: runs('coalesce(sum(r.usage_cost_micros), 0)::bigint'),
      checklist_total: boxes('[ xX]'),
      checklist_done: boxes('[xX]'),
      attachments_count: attachments('count(*)', ' and f.card_id = t.id'),
      // It has no foreign key.
      cycle_id: `(select y.id from boards.cycles y
         where y.brand_id = t.brand_id and y.id = t.cycle_id and y.board_id = t.board_id)`,
      items_total: items('count(*)'),
      items_done: items('count(i.done_at)'),
      // Its row among the texts that are searched.
      id: '(select s.id from boards.search_texts s where s.brand_id = t.brand_id and s.id = t.id)',
    },
  }),
  derivedTable({
    table: 'boards.attachment_sums',
    rows: 1,
    truths: {
      files: attachments('count(*)', ''),
      bytes: attachments('coalesce(sum(f.size), 0)::bigint', ''),
    },
  }),
  derivedTable({
    table: 'boards.comments',
    rows: 500,
    truths: {
      id: '(select s.id from boards.search_texts s where s.brand_id = t.brand_id and s.id = t.id)',
    },
  }),
  derivedTable({
    table: 'boards.search_texts',
    rows: 500,
    truths: {
      title: searched('c.title', 'null'),
      words: searched('boards.card_words(c)', 'boards.comment_words(c.brand_id, c.board_id, m.body)'),
    },
  }),
]
