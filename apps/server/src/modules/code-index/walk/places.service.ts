import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { findIndexState } from '../nodes/index-state.store.ts'
import { placesOf } from './starts.rules.ts'
import * as store from './walk.store.ts'

/** The node that a text names, and the commit that removed it; null while it is live. */
export interface FoundPlace {
  readonly nid: number
  readonly kind: 'folder' | 'file' | 'symbol'
  readonly path: string
  readonly symbol: string
  readonly removed_in: string | null
  readonly removed_version: number | null
  /** Among the commits of that version; 0 while it is live. */
  readonly removed_step: number
}

/**
 * What each text names: live code there, else what was there last, wherever it is now and also if it is gone; undefined where
 * nothing ever was. A slash at the end names a folder, and nothing else does.
 */
export async function findPlaces(
  ctx: BrandCtx,
  project_id: string,
  texts: readonly string[],
): Promise<(FoundPlace | undefined)[]> {
  const places = texts.flatMap(placesOf)
  const fits = ({ at, node }: store.StartRow) => (node.kind === 'folder') === texts[at]?.endsWith('/')
  const found = new Map<number, FoundPlace & { rank: number }>()
  const take = (row: store.StartRow, removed: Removed) => {
    const known = found.get(row.at)
    if (known && known.rank <= row.rank) return
    const { nid, kind, path, symbol } = row.node
    found.set(row.at, { rank: row.rank, nid, kind, path, symbol, ...removed })
  }
  for (const row of (await store.listStarts(ctx, project_id, places, [])).filter(fits)) take(row, live)
  const open = places.filter(({ at }) => !found.has(at))
  if (open.length > 0)
    for (const row of (await store.listLeft(ctx, project_id, open)).filter(fits)) take(row, removedOf(row))
  return texts.map((_, at) => found.get(at))
}

type Removed = Pick<FoundPlace, 'removed_in' | 'removed_version' | 'removed_step'>
const live: Removed = { removed_in: null, removed_version: null, removed_step: 0 }
const removedOf = ({ removed_in, removed_version, removed_step }: Removed): Removed =>
  removed_in === null ? live : { removed_in, removed_version, removed_step }

/** Those of the ids that are live nodes of the project, each once, in any order. */
export const listLive = (
  ctx: BrandCtx,
  project_id: string,
  node_ids: readonly string[],
): Promise<store.LiveNode[]> => store.listLive(ctx, project_id, node_ids)

/** Of live nodes: each with itself and all that contain it. */
export const listAncestors = (ctx: BrandCtx, nids: readonly number[]): Promise<store.AncestorRow[]> =>
  store.listAncestors(ctx, nids)

/** Of the index that readers see; 0 while there is none. */
export const indexVersion = async (ctx: BrandCtx, project_id: string): Promise<number> =>
  (await findIndexState(ctx, project_id))?.version ?? 0
