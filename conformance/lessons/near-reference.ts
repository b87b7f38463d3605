// `entries:near` as the clauses say it, for graphs that fit on a page: no statement, no index, no code of the product.

export interface RefNode {
  /** Nodes that are found at the same time come in this order. */
  readonly number: number
  readonly id: string
  /** As an anchor names it. */
  readonly place: string
  readonly parent: number | null
  readonly is_live: boolean
}
export interface RefEdge {
  readonly kind: 'import' | 'symbol_import' | 'call'
  readonly from: number
  readonly to: number
}
export interface RefLesson {
  readonly id: string
  readonly pinned: boolean
  /** Numbers of nodes. */
  readonly anchors: readonly number[]
}
export interface RefGraph {
  readonly nodes: readonly RefNode[]
  readonly edges: readonly RefEdge[]
  readonly lessons: readonly RefLesson[]
}
export interface RefQuery {
  readonly starts: readonly number[]
  readonly depth: number
  readonly kinds: readonly ('import' | 'call' | 'contains')[]
  readonly direction: 'out' | 'in' | 'both'
  readonly hub_cap: number
  readonly limit: number
}
interface Link {
  readonly kind: 'import' | 'symbol_import' | 'call' | 'contains'
  readonly from: number
  readonly to: number
}
interface Reached {
  readonly node: RefNode
  readonly hops: number
  readonly before: Reached | null
  readonly edge: Link['kind'] | null
}

const preferred = ['import', 'symbol_import', 'call', 'contains'] as const
const cap = 1000

/** LES-35: an import of a symbol is followed, and counted, as an import. */
const askedAs = (kind: Link['kind']) => (kind === 'symbol_import' ? 'import' : kind)

export function nearByReference({ nodes, edges, lessons }: RefGraph, query: RefQuery) {
  const live = nodes.filter(({ is_live }) => is_live)
  const byNumber = new Map(live.map((node) => [node.number, node]))
  const links: Link[] = [
    ...edges,
    ...live.flatMap(({ number, parent }): Link[] =>
      parent === null ? [] : [{ kind: 'contains', from: parent, to: number }],
    ),
  ]
  const { reached, isCut } = walkAll(byNumber, links, query)
  const hubs = reached.flatMap(({ node, hops }) => {
    const degree = hubDegree(node, links, query)
    return hops > 0 && degree !== null ? [{ node_id: node.id, path: node.place, degree }] : []
  })
  const found = lessons
    .flatMap((lesson) => {
      const at = nearest(lesson, reached, byNumber)
      return at ? [{ lesson, at }] : []
    })
    .sort(
      (a, b) =>
        Number(b.lesson.pinned) - Number(a.lesson.pinned) ||
        a.at.hops - b.at.hops ||
        (a.lesson.id < b.lesson.id ? -1 : 1),
    )
  return {
    entries: found.slice(0, query.limit).map(({ lesson, at }) => ({
      id: lesson.id,
      pinned: lesson.pinned,
      hops: at.hops,
      via_node_id: at.node.id,
      path_to: wayTo(at),
    })),
    reached_nodes: reached.length,
    damped: hubs,
    truncated: found.length > query.limit || isCut,
    degraded: null,
  }
}

function walkAll(byNumber: ReadonlyMap<number, RefNode>, links: readonly Link[], query: RefQuery) {
  const reached: Reached[] = [...new Set(query.starts)]
    .sort((a, b) => a - b)
    .flatMap((number) => byNumber.get(number) ?? [])
    .map((node) => ({ node, hops: 0, before: null, edge: null }))
  let frontier = reached.slice()
  for (let hops = 1; hops <= query.depth; hops += 1) {
    const next = new Map<number, { rank: number; before: Reached; edge: Link['kind'] }>()
    for (const before of frontier) {
      for (const { kind, other } of neighbours(before.node.number, links, query)) {
        if (reached.some(({ node }) => node.number === other)) continue
        const rank = preferred.indexOf(kind)
        const known = next.get(other)
        const isBetter =
          !known ||
          rank < known.rank ||
          (rank === known.rank && before.node.number < known.before.node.number)
        if (isBetter) next.set(other, { rank, before, edge: kind })
      }
    }
    const ordered = [...next].sort((a, b) => a[1].rank - b[1].rank || a[0] - b[0])
    const room = cap - reached.length
    frontier = []
    for (const [number, { before, edge }] of ordered.slice(0, room)) {
      const node = byNumber.get(number)
      if (!node) throw new Error('a link leads to dead code')
      const one = { node, hops, before, edge }
      reached.push(one)
      if (hubDegree(node, links, query) === null) frontier.push(one)
    }
    if (ordered.length > room) return { reached, isCut: true }
  }
  return { reached, isCut: false }
}

function* neighbours(number: number, links: readonly Link[], { kinds, direction }: RefQuery) {
  for (const { kind, from, to } of links) {
    if (!kinds.includes(askedAs(kind))) continue
    if (direction !== 'in' && from === number) yield { kind, other: to }
    if (direction !== 'out' && to === number) yield { kind, other: from }
  }
}

/** LES-23, LES-G5: of one followed kind, in both directions; null where it is no hub. */
function hubDegree({ number }: RefNode, links: readonly Link[], { kinds, hub_cap }: RefQuery): number | null {
  const degrees = kinds.map(
    (kind) => links.filter((link) => askedAs(link.kind) === kind && touches(link, number)).length,
  )
  const degree = Math.max(0, ...degrees)
  return degree > hub_cap ? degree : null
}
const touches = ({ from, to }: Link, number: number) => from === number || to === number

/** LES-30: fewest hops; then the start that it lies the least deep under; then what was reached first. */
function nearest(
  { anchors }: RefLesson,
  reached: readonly Reached[],
  byNumber: ReadonlyMap<number, RefNode>,
): Reached | undefined {
  let best: { at: Reached; below: number } | undefined
  for (const at of reached) {
    for (const anchor of anchors) {
      const below = depthUnder(byNumber.get(anchor), at.node.number, byNumber)
      // LES-43, LES-44: everything under a start, and otherwise what is on the node itself.
      if (below === null || (at.hops > 0 && below > 0)) continue
      if (!best || at.hops < best.at.hops || (at.hops === best.at.hops && below < best.below))
        best = { at, below }
    }
  }
  return best?.at
}

function depthUnder(
  node: RefNode | undefined,
  top: number,
  byNumber: ReadonlyMap<number, RefNode>,
): number | null {
  let depth = 0
  for (let at = node; at; at = at.parent === null ? undefined : byNumber.get(at.parent)) {
    if (at.number === top) return depth
    depth += 1
  }
  return null
}

function wayTo(at: Reached) {
  const way = []
  for (let step: Reached | null = at; step; step = step.before)
    way.unshift({ node_id: step.node.id, path: step.node.place, edge: step.edge })
  return way
}
