import type { GraphNode } from '../graph/graph.rules.ts'

/** Edges as they are asked for; `import` stands for imports of files and of symbols. */
export type WalkKind = 'import' | 'call' | 'contains'
export type WalkDirection = 'out' | 'in' | 'both'

/** In the order in which a walk prefers them. The first three are numbered as in the table of edges. */
export const walkedEdges = ['import', 'symbol_import', 'call', 'contains'] as const
export type WalkedEdge = (typeof walkedEdges)[number]
export const containsNumber = 3

export const mostNodes = 1000

export interface WalkQuery {
  /** 0 to 3. */
  readonly depth: number
  readonly kinds: readonly WalkKind[]
  readonly direction: WalkDirection
  readonly hub_cap: number
}

export interface WalkNode extends Pick<GraphNode, 'kind' | 'path' | 'symbol'> {
  readonly nid: number
  readonly node_id: string
  readonly parent_nid: number | null
  readonly import_degree: number
  readonly call_degree: number
  readonly contains_degree: number
}

export interface ReachedNode extends WalkNode {
  readonly hops: number
  /** The node before it on the way from a start, and the edge between; null for a start. */
  readonly via_nid: number | null
  readonly edge: WalkedEdge | null
}

export interface DampedNode {
  readonly node_id: string
  readonly path: string
  readonly degree: number
}

/** Numbers of the edges in the table that are followed. */
export const edgeNumbers = (kinds: readonly WalkKind[]): number[] => [
  ...(kinds.includes('import') ? [0, 1] : []),
  ...(kinds.includes('call') ? [2] : []),
]

/**
 * How many edges of one followed kind touch the node, if that is more than the cap. All of them count, in whichever
 * direction is walked: a hub is a hub from both sides.
 */
export function hubDegree(node: WalkNode, { kinds, hub_cap }: WalkQuery): number | undefined {
  const degree = Math.max(0, ...kinds.map((kind) => node[`${kind}_degree`]))
  return degree > hub_cap ? degree : undefined
}

/** `src/a.ts`, `src/a.ts#Store.find`, and `src/` for a folder, as anchors name them. */
export const shownPath = ({ kind, path, symbol }: Pick<GraphNode, 'kind' | 'path' | 'symbol'>): string =>
  kind === 'symbol' ? `${path}#${symbol}` : kind === 'folder' ? `${path}/` : path

/** A walk under way: what was reached, and where it goes on. */
export class Walk {
  readonly query: WalkQuery
  readonly reached = new Map<number, ReachedNode>()
  readonly damped: DampedNode[] = []
  /** Nodes that the cap has left out, of the level that it cut. */
  left_out = 0
  /** Nodes to go on from. */
  frontier: ReachedNode[]
  #hops = 0

  constructor(starts: readonly WalkNode[], query: WalkQuery) {
    this.query = query
    for (const node of starts) this.reached.set(node.nid, { ...node, hops: 0, via_nid: null, edge: null })
    this.frontier = [...this.reached.values()]
  }

  get is_over(): boolean {
    const { depth, kinds } = this.query
    return this.frontier.length === 0 || this.#hops >= depth || kinds.length === 0 || this.left_out > 0
  }

  get room(): number {
    return mostNodes - this.reached.size
  }

  /** Takes the nodes of the next level, in the order in which they were found. */
  take(found: readonly FoundNode[], nodes: ReadonlyMap<number, WalkNode>): void {
    this.#hops += 1
    this.frontier = []
    for (const { nid, kind, via_nid } of found) {
      const node = nodes.get(nid)
      if (!node) continue
      const reached = { ...node, hops: this.#hops, via_nid, edge: walkedEdges[kind] ?? null }
      this.reached.set(nid, reached)
      const degree = hubDegree(node, this.query)
      if (degree === undefined) this.frontier.push(reached)
      else this.damped.push({ node_id: node.node_id, path: shownPath(node), degree })
    }
  }
}

export interface FoundNode {
  readonly nid: number
  /** Position in `walkedEdges`. */
  readonly kind: number
  readonly via_nid: number
}

/** From a start to the node. */
export function pathTo(reached: ReadonlyMap<number, ReachedNode>, nid: number): ReachedNode[] {
  const path: ReachedNode[] = []
  for (let at = reached.get(nid); at; at = at.via_nid === null ? undefined : reached.get(at.via_nid))
    path.push(at)
  return path.reverse()
}
