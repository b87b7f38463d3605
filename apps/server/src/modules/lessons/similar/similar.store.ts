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
type With<T> = Named<T & { brand_id: number }>

const live = (p: With<Pick<Compared, 'type'>>) => sql`l.brand_id = ${p.brand_id} and l.status = 'live'
     and (${p.type}::text is null or l.type = ${p.type})`
// What is queued has no vector, or one of an older text.
const compared = (p: With<Compared>) => sql`from lessons.lessons l
   join lessons.vectors v on v.brand_id = ${p.brand_id} and v.lesson_id = l.id and v.model = ${p.model}
     and v.dimension = ${p.dimension}
   where ${live(p)} and not exists (
     select from lessons.vector_queue q where q.brand_id = ${p.brand_id} and q.lesson_id = l.id)`

const counts = brandStatement<Compared, { lessons: number; compared: number }>(
  (p) => sql`select (select count(*)::int from lessons.lessons l where ${live(p)}) as lessons,
     (select count(*)::int ${compared(p)}) as compared`,
  { custom_plan: true },
)
// The vector is read once; as a parameter of the comparison, its text would be parsed for each lesson. Half precision is
// good for four digits.
const nearest = brandStatement<Asked, SimilarLessons['matches'][number]>(
  (p) => sql`with asked as materialized (select ${p.vector}::halfvec as vector),
   likeness as (
     select l.slug as id, l.type, l.is_pinned as pinned,
       round((1 - (v.vector <=> (select vector from asked)))::numeric, 4)::float8 as similarity ${compared(p)})
   select id, 'lessons/' || id || '.md' as path, similarity, type, pinned from likeness
   where similarity >= ${p.threshold}::float8 order by similarity desc, id limit ${p.k}`,
  { custom_plan: true },
)

export const countCompared = async (ctx: BrandCtx, asked: Compared) =>
  (await ctx.db.first(counts, asked)) ?? { lessons: 0, compared: 0 }
export const listNearest = (ctx: BrandCtx, asked: Asked) => ctx.db.all(nearest, asked)
