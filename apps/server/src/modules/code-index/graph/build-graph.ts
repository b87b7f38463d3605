import type { FileFacts } from '../extraction/facts.rules.ts'
import { type KeyedEdge, resolveAll } from '../resolution/resolve.ts'
import {
  type CodeGraph,
  edgeKinds,
  type GraphEdge,
  type GraphNode,
  keyOf,
  nodeOrder,
  parentPath,
  type SkippedFile,
} from './graph.rules.ts'

/** Joins the facts of all files into one graph. The same files give the same graph, in whatever order they come. */
export function buildGraph(
  paths: readonly string[],
  facts: ReadonlyMap<string, FileFacts>,
  skipped: readonly SkippedFile[],
  onFile?: () => void,
): CodeGraph {
  const sorted = [...paths].sort()
  const inOrder = new Map(sorted.flatMap((path) => pairOf(path, facts.get(path))))
  const nodes = nodesOf(sorted, inOrder)
  const positions = new Map(nodes.map((node, at) => [keyOf(node), at]))
  const { edges, ...references } = resolveAll(new Set(sorted), inOrder, onFile)
  const unread = sorted.flatMap((path) => {
    const reason = facts.get(path)?.skipped
    return reason === undefined ? [] : [{ path, reason }]
  })
  return {
    nodes,
    edges: placed(edges, positions),
    files_total: paths.length,
    skipped: [...skipped, ...unread].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)),
    ...references,
  }
}

/** Each edge once and in order. An edge is one number on the way there: sorting numbers takes a tenth of the time. */
function placed(edges: readonly KeyedEdge[], positions: ReadonlyMap<string, number>): GraphEdge[] {
  const size = positions.size
  const codes = new Float64Array(edges.length)
  let count = 0
  for (const { kind, from, to } of edges) {
    const [start, end] = [positions.get(from), positions.get(to)]
    if (start === undefined || end === undefined) continue
    codes[count] = (edgeKinds.indexOf(kind) * size + start) * size + end
    count += 1
  }
  const made: GraphEdge[] = []
  let before = -1
  for (const code of codes.subarray(0, count).sort()) {
    if (code === before) continue
    before = code
    const rest = Math.floor(code / size)
    const kind = edgeKinds[Math.floor(rest / size)]
    if (kind) made.push({ kind, from: rest % size, to: code % size })
  }
  return made
}

const pairOf = (path: string, facts: FileFacts | undefined): [string, FileFacts][] =>
  facts ? [[path, facts]] : []

function nodesOf(paths: readonly string[], facts: ReadonlyMap<string, FileFacts>): GraphNode[] {
  const nodes: GraphNode[] = [{ kind: 'folder', path: '', symbol: '', body_hash: null }]
  const folders = new Set([''])
  for (const path of paths) {
    for (let folder = parentPath(path); !folders.has(folder); folder = parentPath(folder)) {
      folders.add(folder)
      nodes.push({ kind: 'folder', path: folder, symbol: '', body_hash: null })
    }
    nodes.push({ kind: 'file', path, symbol: '', body_hash: null })
    for (const { name, body_hash } of facts.get(path)?.definitions ?? []) {
      nodes.push({ kind: 'symbol', path, symbol: name, body_hash })
    }
  }
  return nodes.sort(nodeOrder)
}
