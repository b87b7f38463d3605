import type { CodeGraph } from '@crewhall/contracts/code-index/graph.ts'
import { type ReachedNode, walkedEdges } from './walk.rules.ts'

interface Picture {
  readonly version: number
  readonly commit_id: string
  readonly reached: ReadonlyMap<number, ReachedNode>
  readonly left_out: number
}
interface Edge {
  readonly src: number
  readonly kind: number
  readonly dst: number
  /** How many there are beyond the limit too. */
  readonly count: number
}

export function presentGraph(
  { version, commit_id, reached, left_out }: Picture,
  edges: readonly Edge[],
  hubCap: number,
): CodeGraph {
  const nodes = [...reached.values()]
  const idOf = (nid: number) => reached.get(nid)?.node_id ?? ''
  const held = nodes.filter(({ parent_nid }) => parent_nid !== null && reached.has(parent_nid))
  // Every edge is counted at both of its ends, and an edge to itself once.
  const ends = nodes.reduce(
    (sum, node) => sum + node.import_degree + node.call_degree + node.contains_degree,
    0,
  )
  const between = (edges[0]?.count ?? 0) + held.length
  const own = edges.filter(({ src, dst }) => src === dst).length
  const outside = ends - 2 * between + own
  return {
    commit: commit_id,
    version,
    nodes: nodes.map((node) => ({
      id: node.node_id,
      kind: node.kind,
      path: node.path,
      symbol: node.kind === 'symbol' ? node.symbol : null,
      hops: node.hops,
      degree: { import: node.import_degree, call: node.call_degree, contains: node.contains_degree },
      hub: Math.max(node.import_degree, node.call_degree, node.contains_degree) > hubCap,
    })),
    edges: [
      ...held.map((node) => ({
        from: idOf(node.parent_nid ?? 0),
        to: node.node_id,
        kind: 'contains' as const,
      })),
      ...edges.map(({ src, kind, dst }) => ({
        from: idOf(src),
        to: idOf(dst),
        kind: walkedEdges[kind] ?? 'import',
      })),
    ],
    left_out: { nodes: left_out, edges: outside + (edges[0]?.count ?? 0) - edges.length },
  }
}
