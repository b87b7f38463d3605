import type { GraphNode } from '../graph/graph.rules.ts'

/** What happened to a node that was visible before. */
export interface NodeChange {
  /** Of the index in which it is seen first. */
  readonly version: number
  readonly nid: number
  readonly node_id: string
  readonly kind: GraphNode['kind']
  /**
   * A node that was removed and comes back, perhaps elsewhere, is `revived`; one that is where it was, in another parent,
   * is `reparented`.
   */
  readonly change: 'moved' | 'removed' | 'revived' | 'reparented'
  readonly old_path: string
  readonly old_symbol: string
  /** Where it is now; the same as before for a removed one. */
  readonly path: string
  readonly symbol: string
  /** That removed it; otherwise the indexed one. */
  readonly commit_id: string
  /** How late that commit came among those since the index before; 0 for what is live. */
  readonly removed_step: number
}
