import type { MemoryKind } from '@crewhall/contracts/memory/fields.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, type Named, sql } from '#platform/db/statement.ts'
import type { Anchored } from '../memories/confidence.rules.ts'
import type { Listed, ListName } from './search.rules.ts'

export interface FoundRow extends Anchored {
  readonly id: string
  readonly version: number
  readonly kind: MemoryKind
  readonly title: string
  readonly body: string
  readonly description: string | null
  readonly tags: readonly string[]
  readonly verified_at: string
  readonly created_at: string
}
export interface MatchedRow extends FoundRow {
  /** Words of the query, and how many of them the memory has. */
  readonly words: number
  readonly matched: number
}

interface OfAgent {
  readonly agent_id: string
  readonly kinds: readonly MemoryKind[]
}
type Named_<T> = Named<T & { brand_id: number }>

const item =
  'id, version, kind, title, body, description, tags, confidence, anchored_at, importance, verified_at, created_at'
// MEMO-19, MEMO-20: what search and recall may show at all.
const live = (p: Named_<OfAgent>) =>
  sql`brand_id = ${p.brand_id} and agent_id = ${p.agent_id} and status = 'active'
     and fades_at > (select platform.now())`

// The best of each kind from two indexes: of those that decay, the one that leaves last is the best now.
const top = brandStatement<OfAgent & { limit: number }, FoundRow>(
  (p) => sql`select m.* from unnest(${p.kinds}::text[]) as k (kind) cross join lateral (
     (select ${item} from memory.memories where ${live(p)} and kind = k.kind and importance <> 'critical'
       order by fades_at desc, created_at desc, id limit ${p.limit})
     union all
     (select ${item} from memory.memories where ${live(p)} and kind = k.kind and importance = 'critical'
       order by confidence desc, created_at desc, id limit ${p.limit})) m
   order by memory.effective_confidence(m.confidence, m.anchored_at, m.importance, (select platform.now())) desc,
     m.created_at desc, m.id limit ${p.limit}`,
)

/** Of a common word there may be more; ranking them all would take as long as reading them all. */
const mostRanked = '1000'
/** Of each list. More than any caller can ask for, so that what stands low in two lists can still come out on top. */
const mostListed = '200'
/**
 * What a word counts in the body, in description or tags, and in the title, after one that nothing uses. Chosen with the
 * rarity of words on half of the questions of bench/memory; the defaults of Postgres take the title for five bodies.
 */
const placeWeights = '{0.1, 0.7, 0.8, 1}'

interface Lookup extends OfAgent {
  readonly query: string
  readonly typo_words: readonly string[]
}
// A word counts the more, the fewer of the ranked memories have it: most of them have the common words of a question.
// `search || ''` reads a long memory from its pages once, and not once for each word of the query.
// Titles are compared only for what no memory has; the ranked ones tell of most words without a look into the index.
// Planned for these very values: agents have one memory or a hundred thousand, and words are rare or in all of them.
const lists = brandStatement<Lookup, Listed & { list: ListName }>(
  (p) => sql`with words as materialized (
     select at, lexeme, ('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''')::tsquery as wanted
     from unnest(memory.lexemes(${p.query})) with ordinality as l (lexeme, at)),
   found as materialized (
     select id, created_at, array(select ts_rank('${placeWeights}', words_of_it, wanted) from words order by at) as scores
     from (select id, created_at, search || '' as words_of_it from memory.memories
       where ${live(p)} and kind = any(${p.kinds}::text[]) and search @@ memory.any_of(${p.query})
       limit ${mostRanked}) m),
   rarity as materialized (
     select array_agg(rarity order by at) as of_words from (
       select at, ln(1 + count(*)::float8 / greatest(count(*) filter (where score > 0), 1)) as rarity
       from found cross join unnest(scores) with ordinality as s (score, at) group by at) r)
   (select 'text' as list, id, created_at from found cross join rarity
   order by (select sum(score * rarity) from unnest(scores, of_words) as s (score, rarity)) desc, created_at desc, id
   limit ${mostListed})
   union all
   (select 'trigram', m.id, m.created_at from (
     select word from (select word, memory.lexemes(word) as lexemes, memory.any_of(word) as wanted
       from unnest(${p.typo_words}::text[]) as t (word) offset 0) w
     where case
       when lexemes = '{}' then false
       when lexemes && array(select lexeme from words where exists (select from found where scores[at] > 0)) then false
       else not exists (select from memory.memories where brand_id = ${p.brand_id} and agent_id = ${p.agent_id}
         and status = 'active' and search @@ w.wanted) end
     offset 0) w cross join lateral (
     select id, created_at, word_similarity(w.word, title) as likeness from memory.memories
     where ${live(p)} and kind = any(${p.kinds}::text[]) and title %> w.word limit ${mostRanked}) m
   group by m.id, m.created_at order by sum(likeness) desc, m.created_at desc, m.id limit ${mostListed})`,
  { custom_plan: true },
)
/** Of the list of vectors: every memory is near to something, so a long list would only add noise. */
const mostNear = 100
interface Nearness extends OfAgent {
  readonly model: string
  readonly dimension: number
  /** Of the query, in the text form of pgvector. */
  readonly vector: string
}
const ofModel = (p: Named_<Nearness>) =>
  sql`brand_id = ${p.brand_id} and agent_id = ${p.agent_id} and model = ${p.model} and dimension = ${p.dimension}`
/** Of the agent, whatever their state and kind. Reading a memory for each vector would take longer than comparing all. */
const mostCompared = 1000
const mayShow = (p: Named_<Nearness>) => sql`${live(p)} and kind = any(${p.kinds}::text[])`
// C21: what was merged speaks for its pattern, whose own vector is the mean of all that it holds and so near to none of it.
// Not for one that a person has edited: that may no longer say it.
const shown = (p: Named_<Nearness>) =>
  sql`select m.id, m.created_at, n.distance
     from nearest n join (select id, created_at from memory.memories where ${mayShow(p)}) m on m.id = n.memory_id
   union all
   select m.id, m.created_at, n.distance
     from nearest n
     join memory.merges g on g.brand_id = ${p.brand_id} and g.source_id = n.memory_id and g.undone_at is null
     join memory.memories s on s.brand_id = ${p.brand_id} and s.id = g.source_id and s.status = 'merged'
     join (select id, created_at from memory.memories where ${mayShow(p)} and not is_locked) m on m.id = g.pattern_id`
// Within one agent: no index of vectors could apply the other conditions first. All have length 1, so the inner product
// is the cosine. Vectors of another model have other directions, and of another dimension cannot be compared.
const near = brandStatement<Nearness, Listed & { compared: number }>(
  (p) => sql`with nearest as materialized (
     select memory_id, vector <#> ${p.vector}::halfvec as distance from memory.embeddings where ${ofModel(p)}
     order by distance, memory_id limit ${String(mostCompared)})
   select id, created_at, (select count(*)::int from nearest) as compared from (${shown(p)}) m
   group by id, created_at order by min(distance), created_at desc, id limit ${String(mostNear)}`,
  { custom_plan: true },
)
const nearOfAll = brandStatement<Nearness, Listed>(
  (p) => sql`with nearest as materialized (
     select memory_id, vector <#> ${p.vector}::halfvec as distance from memory.embeddings where ${ofModel(p)})
   select id, created_at from (${shown(p)}) m
   group by id, created_at order by min(distance), created_at desc, id limit ${String(mostNear)}`,
  { custom_plan: true },
)
// Again with all conditions: it may have been archived since it was listed.
const some = brandStatement<OfAgent & { ids: readonly string[]; query: string }, MatchedRow>(
  (p) => sql`select ${item}, cardinality(memory.lexemes(${p.query})) as words, (
     select count(*)::int from unnest(memory.lexemes(${p.query})) as l (lexeme)
     where l.lexeme = any(tsvector_to_array(search))) as matched
   from memory.memories
   where ${live(p)} and kind = any(${p.kinds}::text[]) and id = any(${p.ids}::uuid[])`,
  { custom_plan: true },
)

export const listTop = (ctx: BrandCtx, wanted: OfAgent & { limit: number }) => ctx.db.all(top, wanted)
/** Ids only, by each way of looking, the best first. */
export const listMatches = (ctx: BrandCtx, wanted: Lookup) => ctx.db.all(lists, wanted)
/** Of the nearest, those that may be shown. */
export const listNearest = (ctx: BrandCtx, wanted: Nearness) => ctx.db.all(near, wanted)
/** False where most of the nearest are archived or of other kinds: then there may be more farther away. */
export const areAllNear = ([first, ...rest]: Awaited<ReturnType<typeof listNearest>>): boolean =>
  first !== undefined && (first.compared < mostCompared || rest.length === mostNear - 1)
/** Reads all memories of the agent. */
export const listNearestOfAll = (ctx: BrandCtx, wanted: Nearness) => ctx.db.all(nearOfAll, wanted)
export const listFound = (ctx: BrandCtx, wanted: OfAgent & { ids: readonly string[]; query: string }) =>
  ctx.db.all(some, wanted)
