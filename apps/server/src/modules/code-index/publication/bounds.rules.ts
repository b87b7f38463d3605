import type { CodeGraph, GraphNode } from '../graph/graph.rules.ts'

/** Places that fit into an index; the limits of the table. */
const mostPathBytes = 1024
const mostSymbolBytes = 512

/**
 * The graph without what cannot be stored. A path that is too long takes everything under it along; no real repository
 * has one, and a hostile one must not stop its own index for good.
 */
export function storable(graph: CodeGraph): CodeGraph {
  if (graph.nodes.every(isStorable)) return graph
  const kept = graph.nodes.map(isStorable)
  let count = 0
  const places = kept.map((isKept) => {
    if (isKept) count += 1
    return count - 1
  })
  const long = graph.nodes.filter((node, at) => node.kind === 'file' && !kept[at])
  return {
    ...graph,
    nodes: graph.nodes.filter((_, at) => kept[at]),
    edges: graph.edges
      .filter(({ from, to }) => kept[from] && kept[to])
      .map(({ kind, from, to }) => ({ kind, from: places[from] ?? 0, to: places[to] ?? 0 })),
    skipped: [...graph.skipped, ...long.map(({ path }) => ({ path, reason: 'path_too_long' }))],
  }
}

// Longer paths lie only under longer paths, so nobody loses a parent.
const isStorable = ({ path, symbol }: GraphNode): boolean =>
  bytesOf(path) <= mostPathBytes && bytesOf(symbol) <= mostSymbolBytes

function bytesOf(text: string): number {
  if (text.length * 3 <= mostSymbolBytes) return text.length
  let bytes = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  }
  return bytes
}
