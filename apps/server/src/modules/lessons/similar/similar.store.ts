import type { SimilarLessons } from '@crewhall/contracts/lessons/similar.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, type Named, sql } from '#platform/db/statement.ts'

interface Compared {
  readonly model: string
  readonly dimension: number
  /** Of lessons; null for all. */
  readonly type: string | null
}
interface Asked extends Compared {
  /** In the text form of pgvector. */
  readonly vector: string
  readonly k: number
  readonly threshold: number
}
interface Counted {
  /** All that might be compared. */
  readonly lessons: number
  /** Those that have a vector. */
  readonly compared: number
}
type With<T> = Named<T & { brand_id: number }>

// What is queued has no vector, or one of an older text.
const lessons = (p: With<Compared>) => sql`from lessons.lessons l
     left join lessons.vectors v on v.brand_id = ${p.brand_id} and v.lesson_id = l.id and v.model = ${p.model}
       and v.dimension = ${p.dimension} and not exists (
         select from lessons.vector_queue q where q.brand_id = ${p.brand_id} and q.lesson_id = v.lesson_id)
     where l.brand_id = ${p.brand_id} and l.status = 'live' and (${p.type}::text is null or l.type = ${p.type})`

const counts = brandStatement<Compared, Counted>(
  (p) => sql`select count(*)::int as lessons, count(v.lesson_id)::int as compared ${lessons(p)}`,
  { custom_plan: true },
)
// Vectors are read once, for the counts and for the matches. That of the text is parsed once; as a parameter of the
// comparison it would be for each lesson. Half precision is good for four digits.
const nearest = brandStatement<Asked, Counted & { matches: SimilarLessons['matches'] }>(
  (p) => sql`with asked as materialized (select ${p.vector}::halfvec as vector),
   likeness as materialized (
     select l.slug, l.type, l.is_pinned,
       round((1 - (v.vector <=> (select vector from asked))) * 10000) / 10000 as similarity ${lessons(p)})
   select count(*)::int as lessons, count(similarity)::int as compared, (
     select coalesce(jsonb_agg(jsonb_build_object('id', slug, 'path', 'lessons/' || slug || '.md', 'similarity', similarity,
       'type', type, 'pinned', is_pinned) order by similarity desc, slug), '[]')
     from (select * from likeness where similarity >= ${p.threshold}::float8
       order by similarity desc, slug limit ${p.k}) most) as matches
   from likeness`,
  { custom_plan: true },
)

const none = { lessons: 0, compared: 0, matches: [] }
/** Without a comparison. */
export const countCompared = async (ctx: BrandCtx, asked: Compared): Promise<Counted> =>
  (await ctx.db.first(counts, asked)) ?? none
export const compareAll = async (ctx: BrandCtx, asked: Asked) => (await ctx.db.first(nearest, asked)) ?? none
