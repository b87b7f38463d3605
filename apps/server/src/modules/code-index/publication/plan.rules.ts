import { type CodeGraph, type GraphNode, parentPath } from '../graph/graph.rules.ts'
import type { History } from '../identity/history.rules.ts'
import { type Identity, placeOf, type StoredNode } from '../identity/identity.rules.ts'
import type { NodeChange } from '../nodes/changes.rules.ts'
import { type EdgeColumns, type EdgeDifference, edgeDifference } from './edges.rules.ts'

/** How many edges of each kind touch a node. Imports of files and of symbols count together. */
export interface Degrees {
  readonly import_degree: number
  readonly call_degree: number
  /** Its children and its parent. */
  readonly contains_degree: number
}

export interface StoredRow extends StoredNode, Degrees {
  readonly parent_nid: number | null
}

export interface StoredIndex {
  /** In any order, removed ones too. */
  readonly nodes: readonly StoredRow[]
  readonly edges: EdgeColumns
}

/** A row as it has to be. The id of a new one is below zero: -1, -2 and so on, parents before children. */
export interface PlannedNode extends GraphNode, Degrees {
  readonly nid: number
  readonly parent_nid: number | null
  readonly removed_in: string | null
  /** How late `removed_in` came among the commits since the last index; 0 for what is live. */
  readonly removed_step: number
  /** What followers must know; null for everything else. */
  readonly change: NodeChange['change'] | null
  readonly old_path: string
  readonly old_symbol: string
}

export interface Plan {
  readonly removed: readonly PlannedNode[]
  /** To another place. */
  readonly moved: readonly PlannedNode[]
  /** Where they are, or back from the dead. */
  readonly changed: readonly PlannedNode[]
  readonly created: readonly PlannedNode[]
  readonly edges: EdgeDifference
  readonly nodes_before: number
  readonly nodes_after: number
  readonly edges_after: number
  /** Set when it must not be published. */
  readonly fault: 'nodes_lost' | null
}

/** The difference between what is stored and what is there now. */
export function planChanges(
  stored: StoredIndex,
  graph: CodeGraph,
  identity: Identity,
  history: History,
  removals: ReadonlyMap<number, string>,
): Plan {
  const nids = withNewIds(identity.nids)
  const rows = rowsOf(graph, nids)
  const known = new Map(stored.nodes.map((node) => [node.nid, node]))
  const [moved, changed, created]: [PlannedNode[], PlannedNode[], PlannedNode[]] = [[], [], []]
  for (const row of rows) {
    const old = known.get(row.nid)
    if (!old) created.push(row)
    else if (!isAtPlaceOf(row, old)) moved.push({ ...row, ...changeOf(old, 'moved') })
    else if (!isSame(row, old))
      changed.push({ ...row, ...changeOf(old, isIn(row, old) ? null : 'reparented') })
  }
  const stepOf = new Map(history.steps.map(({ commit }, at) => [commit, at + 1]))
  const removed = identity.gone.map((node): PlannedNode => {
    const old = known.get(node.nid) as StoredRow
    const removed_in = removals.get(node.nid) ?? history.commit
    const removed_step = stepOf.get(removed_in) ?? history.steps.length + 1
    const before = { change: 'removed', old_path: old.path, old_symbol: old.symbol } as const
    return { ...old, ...noDegrees, removed_in, removed_step, ...before }
  })
  const nodes_before = stored.nodes.filter(({ is_live }) => is_live).length
  return {
    removed,
    moved,
    changed,
    created,
    edges: edgeDifference(stored.edges, graph.edges, nids),
    nodes_before,
    nodes_after: rows.length,
    edges_after: graph.edges.length,
    fault: losesTooMuch(stored.nodes, graph.nodes, history) ? 'nodes_lost' : null,
  }
}

const noDegrees: Degrees = { import_degree: 0, call_degree: 0, contains_degree: 0 }

function withNewIds(found: readonly (number | undefined)[]): Int32Array {
  let created = 0
  return Int32Array.from(found, (nid) => {
    if (nid !== undefined) return nid
    created += 1
    return -created
  })
}

function rowsOf({ nodes, edges }: CodeGraph, nids: Int32Array): PlannedNode[] {
  const places = new Map(nodes.map(({ kind, path, symbol }, at) => [placeOf(kind, path, symbol), at]))
  const parents = nodes.map((node) => parentOf(node, places))
  const [imports, calls, contains] = [
    new Int32Array(nodes.length),
    new Int32Array(nodes.length),
    new Int32Array(nodes.length),
  ]
  const count = (degrees: Int32Array, at: number) => {
    degrees[at] = (degrees[at] ?? 0) + 1
  }
  for (const { kind, from, to } of edges) {
    const degrees = kind === 'call' ? calls : imports
    count(degrees, from)
    if (to !== from) count(degrees, to)
  }
  parents.forEach((parent, at) => {
    if (parent === undefined) return
    count(contains, parent)
    count(contains, at)
  })
  return nodes.map((node, at) => {
    const parent = parents[at]
    return {
      kind: node.kind,
      path: node.path,
      symbol: node.symbol,
      body_hash: node.body_hash,
      nid: nids[at] ?? 0,
      parent_nid: parent === undefined ? null : (nids[parent] ?? null),
      import_degree: imports[at] ?? 0,
      call_degree: calls[at] ?? 0,
      contains_degree: contains[at] ?? 0,
      removed_in: null,
      removed_step: 0,
      change: null,
      old_path: node.path,
      old_symbol: node.symbol,
    }
  })
}

/** A symbol is in the nearest symbol around it that is a node, and otherwise in its file. */
function parentOf(node: GraphNode, places: ReadonlyMap<string, number>): number | undefined {
  if (node.kind !== 'symbol')
    return node.path === '' ? undefined : places.get(placeOf('folder', parentPath(node.path), ''))
  for (let dot = node.symbol.lastIndexOf('.'); dot > 0; dot = node.symbol.lastIndexOf('.', dot - 1)) {
    const around = places.get(placeOf('symbol', node.path, node.symbol.slice(0, dot)))
    if (around !== undefined) return around
  }
  return places.get(placeOf('file', node.path, ''))
}

const isAtPlaceOf = (row: PlannedNode, old: StoredRow): boolean =>
  row.path === old.path && row.symbol === old.symbol

const isIn = (row: PlannedNode, old: StoredRow): boolean => row.parent_nid === old.parent_nid

const isSame = (row: PlannedNode, old: StoredRow): boolean =>
  old.is_live &&
  isIn(row, old) &&
  row.body_hash === old.body_hash &&
  row.import_degree === old.import_degree &&
  row.call_degree === old.call_degree &&
  row.contains_degree === old.contains_degree

const changeOf = (old: StoredRow, change: 'moved' | 'reparented' | null) => ({
  change: old.is_live ? change : ('revived' as const),
  old_path: old.path,
  old_symbol: old.symbol,
})

/**
 * Whether more than half of what git has left alone would vanish. That is a fault of ours or of the clone, and everybody
 * who relies on these nodes would lose them.
 */
function losesTooMuch(
  stored: readonly StoredNode[],
  nodes: readonly GraphNode[],
  { ends, present }: History,
): boolean {
  const touched = ends && new Set(ends.map(({ old_path }) => old_path))
  const isTouched = (path: string) => (touched ? touched.has(path) : present !== null && !present.has(path))
  const isCounted = ({ kind }: GraphNode) => kind !== 'folder'
  const expected = stored.filter((node) => node.is_live && isCounted(node) && !isTouched(node.path)).length
  return nodes.filter(isCounted).length * 2 < expected
}
