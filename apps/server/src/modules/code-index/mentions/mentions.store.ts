import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'
import type { Place } from '../walk/starts.rules.ts'

const kinds = ['folder', 'file', 'symbol'] as const

export interface NamedNode {
  readonly project_id: string
  readonly nid: number
  readonly node_id: string
  readonly kind: (typeof kinds)[number]
  readonly path: string
  readonly symbol: string
}
type Row = Omit<NamedNode, 'kind'> & { readonly kind: number; readonly at: number; readonly rank: number }

const columns = 'n.project_id, n.nid, n.id as node_id, n.kind, n.path, n.symbol'

interface Asked {
  /** Null for all projects of the workspace. */
  readonly project_id: string | null
  readonly ats: readonly number[]
  readonly ranks: readonly number[]
  readonly paths: readonly string[]
  readonly symbols: readonly string[]
  readonly folders: readonly boolean[]
}
// Two are enough to know that it is not one. What is stored before the first index of a project is visible is seen by nobody.
const byPlace = brandStatement<Asked, Row>(
  (p) => sql`select asked.at, asked.rank, n.*
   from unnest(${p.ats}::int[], ${p.ranks}::int[], ${p.paths}::text[], ${p.symbols}::text[], ${p.folders}::boolean[])
     as asked (at, rank, path, symbol, is_folder)
   cross join lateral (
     select ${columns} from code_index.nodes n
     join code_index.indexes i on i.brand_id = ${p.brand_id} and i.project_id = n.project_id and i.version > 0
     where n.brand_id = ${p.brand_id} and n.symbol = asked.symbol and n.path = asked.path and n.is_live
       and (n.kind = 0 or not asked.is_folder) and (${p.project_id}::uuid is null or n.project_id = ${p.project_id}::uuid)
     order by n.nid limit 2) n`,
)
const byName = brandStatement<Pick<Asked, 'project_id' | 'ats' | 'symbols'>, Row>(
  (p) => sql`select asked.at, 9 as rank, n.*
   from unnest(${p.ats}::int[], ${p.symbols}::text[]) as asked (at, symbol)
   cross join lateral (
     select ${columns} from code_index.nodes n
     join code_index.indexes i on i.brand_id = ${p.brand_id} and i.project_id = n.project_id and i.version > 0
     where n.brand_id = ${p.brand_id} and n.symbol = asked.symbol and n.is_live
       and (${p.project_id}::uuid is null or n.project_id = ${p.project_id}::uuid)
     limit 2) n`,
)

export type FoundNode = NamedNode & { readonly at: number; readonly rank: number }
const found = ({ kind, ...row }: Row): FoundNode => ({ ...row, kind: kinds[kind] ?? 'file' })

/** At most two for each place. */
export const listByPlace = async (ctx: BrandCtx, project_id: string | null, places: readonly Place[]) =>
  (
    await ctx.db.all(byPlace, {
      project_id,
      ats: places.map(({ at }) => at),
      ranks: places.map(({ rank }) => rank),
      paths: places.map(({ path }) => path),
      symbols: places.map(({ symbol }) => symbol),
      folders: places.map(({ is_folder }) => is_folder),
    })
  ).map(found)
/** At most two for each name. */
export const listByName = async (
  ctx: BrandCtx,
  project_id: string | null,
  names: readonly { readonly at: number; readonly name: string }[],
) =>
  (
    await ctx.db.all(byName, {
      project_id,
      ats: names.map(({ at }) => at),
      symbols: names.map(({ name }) => name),
    })
  ).map(found)
