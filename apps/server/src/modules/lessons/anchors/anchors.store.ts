import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

/** An anchor as it is stored. */
export interface AnchorRow {
  readonly lesson_id: string
  readonly position: number
  readonly raw_text: string
  readonly path: string
  readonly symbol: string
  readonly is_folder: boolean
  readonly nid: number | null
  readonly removed_in: string | null
  readonly removed_version: number | null
  /** Of the removing commit among those of its version. */
  readonly removed_step: number
  /** Of a symbol that is gone: what is similar to it. */
  readonly suggestions: readonly Suggestion[]
}
/** A place as an anchor names it. */
export interface Suggestion {
  readonly anchor: string
  readonly similarity: number
}
const columns = `lesson_id, position, raw_text, path, symbol, is_folder, nid, removed_in, removed_version,
     removed_step, suggestions`

const ofLessons = brandStatement<{ ids: readonly string[] }, AnchorRow>(
  (p) => sql`select ${columns} from lessons.anchors
   where brand_id = ${p.brand_id} and lesson_id = any(${p.ids}::uuid[]) order by lesson_id, position`,
)
const open = brandStatement<
  { project_id: string; lesson_id: string; position: number; limit: number },
  AnchorRow
>(
  (p) => sql`select ${columns} from lessons.anchors
   where brand_id = ${p.brand_id} and project_id = ${p.project_id} and nid is null
     and (lesson_id, position) > (${p.lesson_id}::uuid, ${p.position}::int)
   order by lesson_id, position limit ${p.limit}`,
)
const drop = brandStatement<{ ids: readonly string[] }, unknown>(
  (p) =>
    sql`delete from lessons.anchors where brand_id = ${p.brand_id} and lesson_id = any(${p.ids}::uuid[])`,
)

interface Columns {
  readonly project_id: string
  readonly lessons: readonly string[]
  readonly positions: readonly number[]
  readonly texts: readonly string[]
  readonly paths: readonly string[]
  readonly symbols: readonly string[]
  readonly folders: readonly boolean[]
  readonly nids: readonly (number | null)[]
  readonly commits: readonly (string | null)[]
  readonly versions: readonly (number | null)[]
  readonly steps: readonly number[]
  readonly suggestions: readonly string[]
}
// Stored anew, or moved onto the node that was found for it.
const put = brandStatement<Columns, unknown>(
  (
    p,
  ) => sql`insert into lessons.anchors (brand_id, project_id, lesson_id, position, raw_text, path, symbol, is_folder, nid,
     removed_in, removed_version, removed_step, suggestions)
   select ${p.brand_id}::int, ${p.project_id}::uuid, n.lesson_id, n.position, n.raw_text, n.path, n.symbol, n.is_folder, n.nid,
     n.removed_in, n.removed_version, n.removed_step, n.suggestions::jsonb
   from unnest(${p.lessons}::uuid[], ${p.positions}::int[],
     ${p.texts}::text[], ${p.paths}::text[], ${p.symbols}::text[], ${p.folders}::boolean[], ${p.nids}::int[],
     ${p.commits}::text[], ${p.versions}::int[], ${p.steps}::int[], ${p.suggestions}::text[])
     as n (lesson_id, position, raw_text, path, symbol, is_folder, nid, removed_in, removed_version, removed_step, suggestions)
   on conflict (brand_id, lesson_id, position) do update set path = excluded.path, symbol = excluded.symbol,
     nid = excluded.nid, removed_in = excluded.removed_in, removed_version = excluded.removed_version,
     removed_step = excluded.removed_step, suggestions = excluded.suggestions`,
)

interface Followed {
  readonly nids: readonly number[]
  readonly paths: readonly string[]
  readonly symbols: readonly string[]
  /** Null where the node is live. */
  readonly commits: readonly (string | null)[]
  readonly steps: readonly number[]
  /** As JSON. */
  readonly suggestions: readonly string[]
  readonly version: number
}
export interface FollowedAnchor {
  readonly lesson_id: string
  readonly is_folder: boolean
  readonly old_path: string
  readonly old_symbol: string
  readonly path: string
  readonly symbol: string
}
const follow = brandStatement<Followed, FollowedAnchor>(
  (p) => sql`with followed as materialized (
     select a.lesson_id, a.position, a.is_folder, a.path as old_path, a.symbol as old_symbol, c.path, c.symbol, c.commit_id,
       c.step, c.suggestions
     from unnest(${p.nids}::int[], ${p.paths}::text[], ${p.symbols}::text[], ${p.commits}::text[],
       ${p.steps}::int[], ${p.suggestions}::text[]) as c (nid, path, symbol, commit_id, step, suggestions)
     join lessons.anchors a on a.brand_id = ${p.brand_id} and a.nid = c.nid),
   written as (
     update lessons.anchors a set path = f.path, symbol = f.symbol, removed_in = f.commit_id,
       removed_version = case when f.commit_id is not null then ${p.version}::int end,
       removed_step = case when f.commit_id is not null then f.step else 0 end, suggestions = f.suggestions::jsonb
     from followed f where a.brand_id = ${p.brand_id} and a.lesson_id = f.lesson_id and a.position = f.position)
   select lesson_id, is_folder, old_path, old_symbol, path, symbol from followed order by lesson_id, position`,
)

const anchored = brandStatement<{ nids: readonly number[] }, { nid: number }>(
  (p) =>
    sql`select distinct nid from lessons.anchors where brand_id = ${p.brand_id} and nid = any(${p.nids}::int[])`,
)

/** Those of the nodes that an anchor stands on. */
export const listAnchored = async (ctx: BrandCtx, nids: readonly number[]) =>
  (await ctx.db.all(anchored, { nids })).map(({ nid }) => nid)
export const listAnchors = (ctx: BrandCtx, ids: readonly string[]) => ctx.db.all(ofLessons, { ids })
/** Those that stand on nothing, after a position. */
export const listOpen = (
  ctx: BrandCtx,
  project_id: string,
  { lesson_id, position }: Pick<AnchorRow, 'lesson_id' | 'position'>,
  limit: number,
) => ctx.db.all(open, { project_id, lesson_id, position, limit })
export const deleteAnchors = (ctx: BrandTx, ids: readonly string[]) => ctx.db.run(drop, { ids })
export const insertAnchors = (ctx: BrandTx, project_id: string, rows: readonly AnchorRow[]) =>
  ctx.db.run(put, {
    project_id,
    lessons: rows.map(({ lesson_id }) => lesson_id),
    positions: rows.map(({ position }) => position),
    texts: rows.map(({ raw_text }) => raw_text),
    paths: rows.map(({ path }) => path),
    symbols: rows.map(({ symbol }) => symbol),
    folders: rows.map(({ is_folder }) => is_folder),
    nids: rows.map(({ nid }) => nid),
    commits: rows.map(({ removed_in }) => removed_in),
    versions: rows.map(({ removed_version }) => removed_version),
    steps: rows.map(({ removed_step }) => removed_step),
    suggestions: rows.map(({ suggestions }) => JSON.stringify(suggestions)),
  })
/** Lets anchors follow their nodes; returns all that stand on one of them. */
export const updateFollowing = (ctx: BrandTx, followed: Followed) => ctx.db.all(follow, followed)
