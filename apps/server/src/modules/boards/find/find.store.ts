import type { CardFacets, Sort } from '@crewhall/contracts/boards/filters.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, joined, type Named, type Sql, sql } from '#platform/db/statement.ts'

/** Which cards may be found at all, and what of them is wanted. */
export interface Wanted {
  readonly board_ids: readonly string[] | null
  /** Lists of one board show it when it is archived, too. */
  readonly with_archived_boards: boolean
  readonly board_type: string | null
  readonly name_keys: readonly string[] | null
  readonly status: string | null
  readonly since: string | null
  readonly due_before: string | null
  readonly due_after: string | null
  readonly blocked: boolean | null
  readonly claimed: boolean | null
  readonly sort: Sort
  readonly count_by: readonly string[]
  readonly limit: number
  readonly offset: number
}
interface ByMarks extends Wanted {
  /** A search query for the rows of cards. */
  readonly marks: string
}
interface ByWords extends ByMarks {
  /** The same for rows of comments, which have the board and no other fact. May be empty. */
  readonly comment_marks: string
  readonly words: readonly string[]
  readonly is_open: boolean
  readonly key: string | null
  readonly number: number | null
}
interface Loosely extends ByMarks {
  readonly words: readonly string[]
  /** Of each word, its spellings with two letters swapped, separated by blanks. */
  readonly swaps: readonly string[]
  readonly is_open: boolean
}
type P<T> = Named<T & { brand_id: number }>

export interface FoundRow {
  /** Rows that were looked at, of which conditions have left `total`. */
  readonly looked_at: number
  readonly total: number
  readonly ids: readonly string[]
  readonly facets: CardFacets
}

/** Filters and orders take all that match; more than this are refused. */
export const mostMatches = 10_001
/** Of rows that have all words of a query. Of common words there may be more, and ranking them all takes too long. */
const mostRanked = '2000'
/** Cards that are looked at to learn whether most have what is asked for, and how many of them then have it. */
const sampled = '200'
const commonInSample = '80'
/** Far more than it takes to find 2,000. */
const mostWalked = '20000'
/** Of rows that have one of the words, or one like it. */
const mostLike = '1000'
/** Cards that are only like what was asked for. */
const mostLoose = '200'

// For conditions that are not asked for, nothing is left of these when the statement is planned for its values: each of
// the others may then use an index of its own.
const conditions = (p: P<Wanted>) => sql`c.archived_at is null
     and (${p.with_archived_boards}::boolean or b.archived_at is null)
     and (${p.board_ids}::uuid[] is null or c.board_id = any(${p.board_ids}))
     and (${p.board_type}::text is null or b.board_type = ${p.board_type})
     and (${p.name_keys}::text[] is null or k.name_key = any(${p.name_keys}))
     and (${p.status}::text is null or k.status = ${p.status})
     and (${p.since}::timestamptz is null or c.updated_at >= ${p.since})
     and (${p.due_before}::timestamptz is null or c.due_at < ${p.due_before})
     and (${p.due_after}::timestamptz is null or c.due_at >= ${p.due_after})
     and (${p.blocked}::boolean is distinct from true or (c.open_blockers > 0 and c.completed_at is null))
     and (${p.blocked}::boolean is distinct from false or c.open_blockers = 0 or c.completed_at is not null)
     and (${p.claimed}::boolean is distinct from true
       or (c.claim_id is not null and c.claim_expires_at > platform.now()))
     and (${p.claimed}::boolean is distinct from false
       or c.claim_id is null or c.claim_expires_at <= platform.now())`

const hit = `c.id, c.title, c.labels, c.priority, c.task_type, c.assignee, c.created_at, c.updated_at, c.due_at, c.rank,
  k.status, k.name as column_name, k.rank as column_rank, b.id as board_id, b.name as board`
const places = (
  p: P<object>,
) => sql`join boards.columns k on k.brand_id = ${p.brand_id} and k.id = c.column_id
     join boards.boards b on b.brand_id = ${p.brand_id} and b.id = c.board_id`
// Rows are fetched one by one, by key: as a join, the planner may read the whole table.
const hitsOfFound = (p: P<Wanted>) => sql`select found.score, found.is_ref, ${hit} from found
     cross join lateral (select * from boards.cards c where c.brand_id = ${p.brand_id} and c.id = found.id limit 1) c
     ${places(p)}
     where ${conditions(p)}`

const by = (p: P<Wanted>, name: Sort, value: string, order = '') =>
  sql`case when ${p.sort} = '${name}' then ${value} end ${order}`
const urgency = `array_position('{none,low,medium,high,urgent}'::text[], priority)`
const order = (p: P<Wanted>) =>
  joined([
    'is_ref desc',
    by(p, 'relevance', 'score', 'desc'),
    by(p, 'place', 'board'),
    by(p, 'place', 'column_rank'),
    by(p, 'place', 'rank'),
    by(p, 'updated', 'updated_at'),
    by(p, '-updated', 'updated_at', 'desc'),
    by(p, 'created', 'created_at'),
    by(p, '-created', 'created_at', 'desc'),
    by(p, 'due', 'due_at'),
    by(p, '-due', 'due_at', 'desc nulls last'),
    by(p, 'priority', urgency),
    by(p, '-priority', urgency, 'desc'),
    by(p, 'title', 'lower(title)'),
    'updated_at desc',
    'id desc',
  ])

const facet = (
  p: P<Wanted>,
  name: keyof CardFacets,
  from: string,
  value: string,
  shown = value,
) => sql`'${name}',
     case when '${name}' = any(${p.count_by}::text[]) then (
       select coalesce(jsonb_agg(jsonb_build_object('value', value, 'name', name, 'count', count)
         order by count desc, value), '[]')
       from (select ${value} as value, max(${shown}) as name, count(*) as count from ${from}
         group by 1 order by 3 desc, 1 limit 100) f) end`
const worker = `coalesce((assignee ->> 'kind') || ':' || (assignee ->> 'id'), 'none')`
const facets = (p: P<Wanted>) =>
  joined([
    facet(p, 'status', 'hits', 'status'),
    facet(p, 'column', 'hits', 'column_name'),
    facet(p, 'board', 'hits', 'board_id::text', 'board'),
    facet(p, 'label', '(select unnest(labels) as label from hits) l', 'label'),
    facet(p, 'assignee', 'hits', worker, `coalesce(assignee ->> 'name', '')`),
    facet(p, 'priority', 'hits', 'priority'),
    facet(p, 'task_type', 'hits', 'task_type'),
  ])

/** One statement for the page, the number of all and the facets: they are of one moment, and the search runs once. */
const answer = (p: P<Wanted>, { looked_at, hits }: { looked_at: string; hits: Sql }) =>
  sql`hits as materialized (${hits})
   select (select count(*)::int from ${looked_at}) as looked_at, (select count(*)::int from hits) as total,
     array(select id from hits order by ${order(p)} limit ${p.limit} offset ${p.offset}) as ids,
     jsonb_strip_nulls(jsonb_build_object(${facets(p)})) as facets`
const custom = { custom_plan: true }

const byConditions = brandStatement<Wanted, FoundRow>(
  (p) =>
    sql`with ${answer(p, {
      looked_at: 'hits',
      hits: sql`select 0 as score, false as is_ref, ${hit} from boards.cards c ${places(p)}
     where c.brand_id = ${p.brand_id} and ${conditions(p)} limit ${String(mostMatches)}`,
    })}`,
  custom,
)

const byMarks = brandStatement<ByMarks, FoundRow>(
  (p) => sql`with found as materialized (
     select s.card_id as id, 0 as score, false as is_ref from boards.search_texts s
     where s.brand_id = ${p.brand_id} and s.comment_id is null and s.words @@ ${p.marks}::tsquery limit ${String(mostMatches)}
   ), ${answer(p, { looked_at: 'found', hits: hitsOfFound(p) })}`,
  custom,
)

const wanted = (p: P<ByWords>) => sql`boards.all_of(${p.brand_id}, ${p.words}::text[], ${p.is_open}::boolean)`
// In the order of their ids, which are random.
const cardsById = (p: P<ByWords>) => sql`select s.card_id, s.words from boards.search_texts s
       where s.brand_id = ${p.brand_id} and s.comment_id is null order by s.id`
// The index returns all rows that have the words before the first can be looked at: of words that nearly every card has, a
// walk over the cards finds the same number in a fraction of the time.
//
// What stands in the title counts more than the description, and that more than a comment. Comments have no facts but
// their board, so for their cards, and for the one that was named, these are looked at afterwards.
const byWords = brandStatement<ByWords, FoundRow>(
  (p) => sql`with sample as materialized (
     select count(*) filter (where s.words @@ (${wanted(p)} && ${p.marks}::tsquery)) >= ${commonInSample} as is_common
     from (${cardsById(p)} limit ${sampled}) s
     where numnode(${wanted(p)}) > 0
   ), candidates as materialized (
     (select s.card_id, ts_rank(s.words, ${wanted(p)}) as score, true as is_checked
     from (${cardsById(p)} limit ${mostWalked}) s
     where (select is_common from sample) and s.words @@ (${wanted(p)} && ${p.marks}::tsquery) limit ${mostRanked})
     union all
     (select s.card_id, ts_rank(s.words, ${wanted(p)}), true from boards.search_texts s
     where not (select is_common from sample) and numnode(${wanted(p)}) > 0
       and s.brand_id = ${p.brand_id} and s.comment_id is null
       and s.words @@ (${wanted(p)} && ${p.marks}::tsquery) limit ${mostRanked})
     union all
     (select s.card_id, ts_rank(s.words, ${wanted(p)}) as score, false from boards.search_texts s
     where s.brand_id = ${p.brand_id} and s.comment_id is not null and numnode(${wanted(p)}) > 0
       and s.words @@ (${wanted(p)} && ${p.comment_marks}::tsquery) limit ${mostRanked})
     union all
     select c.id, 1000, false from boards.boards b
     join boards.cards c on c.brand_id = ${p.brand_id} and c.board_id = b.id and c.number = ${p.number}::int
     where b.brand_id = ${p.brand_id} and b.key = ${p.key}
   ), found as materialized (
     select m.card_id as id, max(m.score) as score, bool_or(m.score >= 1000) as is_ref from candidates m
     group by m.card_id
     having bool_or(m.is_checked) or exists (select from boards.search_texts s
       where s.brand_id = ${p.brand_id} and s.id = m.card_id and s.words @@ ${p.marks}::tsquery)
   ), ${answer(p, { looked_at: 'found', hits: hitsOfFound(p) })}`,
  custom,
)

// For queries of which no card has all words. A word that the workspace does not have is looked for with two letters
// swapped, and in titles by its trigrams. The more words a card has, and the more alike they are, the better.
const loosely = brandStatement<Loosely, FoundRow>(
  (p) => sql`with asked as materialized (
     select w.word, w.wanted, w.swapped, exists (select from boards.search_texts s
         where s.brand_id = ${p.brand_id} and s.comment_id is null and s.words @@ w.wanted)
       or exists (select from boards.search_texts s
         where s.brand_id = ${p.brand_id} and s.comment_id is not null and s.words @@ w.wanted) as is_known
     from (select given.word, boards.wanted(${p.brand_id}, ${p.words}::text[], at::int, ${p.is_open}::boolean) as wanted,
         boards.any_of(${p.brand_id}, swaps) as swapped
       from unnest(${p.words}::text[], ${p.swaps}::text[]) with ordinality as given (word, swaps, at) offset 0) w
     where numnode(w.wanted) > 0
   ), candidates as materialized (
     select s.card_id from asked a cross join lateral (select s.card_id from boards.search_texts s
       where s.brand_id = ${p.brand_id} and s.comment_id is null
         and s.words @@ (case when a.is_known then a.wanted else a.swapped end && ${p.marks}::tsquery)
         and (a.is_known or numnode(a.swapped) > 0) limit ${mostLike}) s
     union
     select s.card_id from asked a cross join lateral (select s.card_id from boards.search_texts s
       where not a.is_known and s.brand_id = ${p.brand_id} and s.title %> a.word and s.title is not null
         and s.words @@ ${p.marks}::tsquery limit ${mostLike}) s
   ), found as materialized (
     select s.card_id as id, false as is_ref, sum(greatest(
       case when ts_rank('{0, 0, 0, 1}', s.words, a.wanted) > 0 then 1 when s.words @@ a.wanted then 0.5 else 0 end,
       case when a.is_known then 0 when s.words @@ a.swapped then 0.9 else word_similarity(a.word, s.title) end)) as score
     from candidates m
     join boards.search_texts s on s.brand_id = ${p.brand_id} and s.id = m.card_id
     cross join asked a
     group by s.card_id order by score desc limit ${mostLoose}
   ), ${answer(p, { looked_at: 'found', hits: hitsOfFound(p) })}`,
  custom,
)
// Less than by default (0.6), with which one wrong letter in a word of six is too much: it leaves 0.4.
const forgive = brandStatement<object, unknown>(
  () => sql`select set_config('pg_trgm.word_similarity_threshold', '0.4', true)`,
)

const none: FoundRow = { looked_at: 0, total: 0, ids: [], facets: {} }
export const findByConditions = async (ctx: BrandCtx, find: Wanted) =>
  (await ctx.db.first(byConditions, find)) ?? none
export const findByMarks = async (ctx: BrandCtx, find: ByMarks) => (await ctx.db.first(byMarks, find)) ?? none
export const findByWords = async (ctx: BrandCtx, find: ByWords) => (await ctx.db.first(byWords, find)) ?? none
/** How much is forgiven is a setting of the transaction. */
export const updateForgiveness = (ctx: BrandTx) => ctx.db.run(forgive, {})
export const findLoosely = async (ctx: BrandCtx, find: Loosely) => (await ctx.db.first(loosely, find)) ?? none
