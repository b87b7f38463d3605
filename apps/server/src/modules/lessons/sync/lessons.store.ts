import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

export interface KnownLesson {
  readonly id: string
  readonly slug: string
  readonly file_digest: string
  readonly status: 'live' | 'retired' | 'superseded' | 'removed'
  readonly origin: 'repository' | 'call'
  readonly supersedes: readonly string[]
}
interface Asked {
  readonly project_id: string
  readonly slugs: readonly string[]
}
const known = brandStatement<Asked, KnownLesson>(
  (p) => sql`select id, slug, file_digest, status, origin, supersedes from lessons.lessons
   where brand_id = ${p.brand_id} and project_id = ${p.project_id} and slug = any(${p.slugs}::text[])`,
)
const digests = brandStatement<
  { project_id: string },
  { slug: string; file_digest: string; is_removed: boolean; origin: KnownLesson['origin'] }
>(
  (p) => sql`select slug, file_digest, status = 'removed' as is_removed, origin from lessons.lessons
   where brand_id = ${p.brand_id} and project_id = ${p.project_id}`,
)
const count = brandStatement<{ project_id: string }, { count: number }>(
  (p) => sql`select count(*)::int as count from lessons.lessons
   where brand_id = ${p.brand_id} and project_id = ${p.project_id} and status <> 'removed'`,
)

interface Written {
  readonly project_id: string
  readonly origin: 'repository' | 'call'
  readonly ids: readonly string[]
  readonly slugs: readonly string[]
  readonly types: readonly string[]
  readonly titles: readonly string[]
  readonly bodies: readonly string[]
  readonly pinned: readonly boolean[]
  readonly authors: readonly (string | null)[]
  readonly cards: readonly (string | null)[]
  /** As JSON, since arrays of arrays are one block to Postgres. */
  readonly superseded: readonly string[]
  readonly retired: readonly boolean[]
  readonly digests: readonly string[]
  readonly texts: readonly string[]
}
const upsert = brandStatement<Written, unknown>(
  (
    p,
  ) => sql`insert into lessons.lessons (brand_id, id, project_id, slug, type, title, body, is_pinned, author, card_ref,
     supersedes, is_retired, origin, file_digest, file_text)
   select ${p.brand_id}::int, f.id, ${p.project_id}::uuid, f.slug, f.type, f.title, f.body, f.pinned, f.author, f.card,
     array(select jsonb_array_elements_text(f.superseded::jsonb)), f.retired, ${p.origin}::text, f.digest, f.text
   from unnest(${p.ids}::uuid[], ${p.slugs}::text[], ${p.types}::text[], ${p.titles}::text[], ${p.bodies}::text[],
     ${p.pinned}::boolean[], ${p.authors}::text[], ${p.cards}::text[], ${p.superseded}::text[], ${p.retired}::boolean[],
     ${p.digests}::text[], ${p.texts}::text[])
     as f (id, slug, type, title, body, pinned, author, card, superseded, retired, digest, text)
   on conflict (brand_id, id) do update set type = excluded.type, title = excluded.title, body = excluded.body,
     is_pinned = excluded.is_pinned, author = excluded.author, card_ref = excluded.card_ref,
     supersedes = excluded.supersedes, is_retired = excluded.is_retired, origin = excluded.origin,
     file_digest = excluded.file_digest, file_text = excluded.file_text, updated_at = platform.now(),
     status = case when lessons.status = 'removed' then 'live' else lessons.status end`,
)
const adopt = brandStatement<Asked, unknown>(
  (p) => sql`update lessons.lessons set origin = 'repository'
   where brand_id = ${p.brand_id} and project_id = ${p.project_id} and slug = any(${p.slugs}::text[]) and origin = 'call'`,
)
const remove = brandStatement<Asked, Pick<KnownLesson, 'id' | 'supersedes'>>(
  (p) => sql`update lessons.lessons l set status = 'removed', updated_at = platform.now()
   where l.brand_id = ${p.brand_id} and l.project_id = ${p.project_id} and l.slug = any(${p.slugs}::text[])
     and l.origin = 'repository' and l.status <> 'removed' returning l.id, l.supersedes`,
)
const settle = brandStatement<Asked, { id: string }>(
  (p) => sql`with superseded as materialized (
     select distinct unnest(supersedes) as slug from lessons.lessons
     where brand_id = ${p.brand_id} and project_id = ${p.project_id} and supersedes <> '{}' and status <> 'removed'),
   truth as materialized (
     select l.id, case when l.is_retired then 'retired' when s.slug is not null then 'superseded' else 'live' end as status
     from lessons.lessons l left join superseded s on s.slug = l.slug
     where l.brand_id = ${p.brand_id} and l.project_id = ${p.project_id} and l.slug = any(${p.slugs}::text[])
       and l.status <> 'removed')
   update lessons.lessons l set status = t.status, updated_at = platform.now() from truth t
   where l.brand_id = ${p.brand_id} and l.id = t.id and l.status <> t.status returning l.id`,
)

export const listKnown = (ctx: BrandCtx, project_id: string, slugs: readonly string[]) =>
  ctx.db.all(known, { project_id, slugs })
export const listDigests = (ctx: BrandCtx, project_id: string) => ctx.db.all(digests, { project_id })
export const countLessons = async (ctx: BrandCtx, project_id: string): Promise<number> =>
  (await ctx.db.first(count, { project_id }))?.count ?? 0
export const insertLessons = (ctx: BrandTx, written: Written) => ctx.db.run(upsert, written)
export const updateOrigin = (ctx: BrandTx, project_id: string, slugs: readonly string[]) =>
  ctx.db.run(adopt, { project_id, slugs })
/** Of those that belong to the repository. */
export const updateRemoved = (ctx: BrandTx, project_id: string, slugs: readonly string[]) =>
  ctx.db.all(remove, { project_id, slugs })
/** Returns those of them whose state has changed. */
export const updateStatuses = (ctx: BrandTx, project_id: string, slugs: readonly string[]) =>
  ctx.db.all(settle, { project_id, slugs })
