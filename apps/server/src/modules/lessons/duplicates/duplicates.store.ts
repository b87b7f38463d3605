import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

export interface Alike {
  /** The lesson that was compared. */
  readonly of_id: string
  readonly slug: string
  readonly similarity: number
}
interface Asked {
  readonly ids: readonly string[]
  readonly vectors: readonly string[]
  readonly model: string
  readonly dimension: number
  readonly least: number
  readonly most: number
}
// Materialized, or the text of a vector is read again for each row.
const alike = brandStatement<Asked, Alike>(
  (p) => sql`with asked as materialized (
     select a.id, a.vector::halfvec as vector from unnest(${p.ids}::uuid[], ${p.vectors}::text[]) as a (id, vector))
   select a.id as of_id, b.slug, b.similarity from asked a cross join lateral (
     select l.slug, round((1 - (v.vector <=> a.vector))::numeric, 4)::float8 as similarity
     from lessons.vectors v
     join lessons.lessons l on l.brand_id = v.brand_id and l.id = v.lesson_id and l.status = 'live'
     where v.brand_id = ${p.brand_id} and v.model = ${p.model} and v.dimension = ${p.dimension} and v.lesson_id <> a.id
       and round((1 - (v.vector <=> a.vector))::numeric, 4) >= ${p.least}::numeric
     order by 2 desc, 1 limit ${p.most}) b`,
)

/** Live lessons of the workspace that are like these, the most similar first. */
export const listAlike = (ctx: BrandCtx, asked: Asked) => ctx.db.all(alike, asked)
