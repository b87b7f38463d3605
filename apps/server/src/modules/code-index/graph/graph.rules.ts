/** A folder, a file or a symbol of one commit. `path` of the root folder is ''. */
export interface GraphNode {
  readonly kind: 'folder' | 'file' | 'symbol'
  readonly path: string
  /** Qualified name in the file (`Store.find`); '' unless the node is a symbol. Overloads share one node. */
  readonly symbol: string
  /** Digest of the body with the own name masked; null where the body is too short to identify anything. */
  readonly body_hash: string | null
}

/** `from` and `to` are positions in `nodes`. That a node contains another is said by its path, not by an edge. */
export interface GraphEdge {
  readonly kind: 'import' | 'symbol_import' | 'call'
  readonly from: number
  readonly to: number
}

export interface CodeGraph {
  /** Ordered by path, then symbol, by code unit. */
  readonly nodes: readonly GraphNode[]
  /** Each once, ordered by kind, from and to. */
  readonly edges: readonly GraphEdge[]
  readonly files_total: number
  readonly skipped: readonly SkippedFile[]
  /** Imports and calls that could lead into the repository, and those for which an edge was found. */
  readonly references_total: number
  readonly references_resolved: number
  /** Of them, imports. */
  readonly imports?: { readonly total: number; readonly resolved: number }
}

export interface SkippedFile {
  readonly path: string
  readonly reason: string
}

export const edgeKinds = ['import', 'symbol_import', 'call'] as const

/** The folder that holds a path; the root holds the top ones and nothing holds the root. */
export const parentPath = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

const textOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export const nodeOrder = (a: GraphNode, b: GraphNode): number =>
  textOrder(a.path, b.path) || textOrder(a.symbol, b.symbol)

export const edgeOrder = (a: GraphEdge, b: GraphEdge): number =>
  edgeKinds.indexOf(a.kind) - edgeKinds.indexOf(b.kind) || a.from - b.from || a.to - b.to

/** What a reader of a graph may rely on. Returns what is broken; nothing, for a sound graph. */
export function graphFaults({ nodes, edges }: CodeGraph): string[] {
  const faults: string[] = []
  const folders = new Set(nodes.filter(({ kind }) => kind === 'folder').map(({ path }) => path))
  const files = new Set(nodes.filter(({ kind }) => kind === 'file').map(({ path }) => path))
  if (!folders.has('')) faults.push('no root folder')
  nodes.forEach((node, at) => {
    const before = nodes[at - 1]
    if (before && nodeOrder(before, node) >= 0) faults.push(`order or repetition at ${keyOf(node)}`)
    if ((node.kind === 'symbol') !== (node.symbol !== '')) faults.push(`symbol of ${keyOf(node)}`)
    const holder = node.kind === 'symbol' ? files.has(node.path) : folders.has(parentPath(node.path))
    if (!holder) faults.push(`nothing holds ${keyOf(node)}`)
  })
  edges.forEach((edge, at) => {
    const before = edges[at - 1]
    if (before && edgeOrder(before, edge) >= 0) faults.push(`order or repetition at edge ${at}`)
    if (!nodes[edge.from] || !nodes[edge.to]) faults.push(`edge ${at} leads nowhere`)
    if (edge.from === edge.to && edge.kind !== 'call') faults.push(`edge ${at} leads to its own start`)
  })
  return faults
}

/** `src/a.ts`, or `src/a.ts#Store.find` for a symbol. */
export const keyOf = ({ path, symbol }: GraphNode): string => (symbol === '' ? path : `${path}#${symbol}`)
