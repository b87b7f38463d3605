import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type CodeGraph,
  edgeOrder,
  type GraphEdge,
  type GraphNode,
  nodeOrder,
  parentPath,
} from '../graph/graph.rules.ts'
import type { History } from '../identity/history.rules.ts'
import { columnsOf } from './edges.rules.ts'
import type { Plan, StoredIndex, StoredRow } from './plan.rules.ts'
import { prepareIndex } from './prepare.service.ts'

const place = fc.record({
  path: fc.constantFrom('a.ts', 'b.ts', 'x/a.ts', 'x/b.ts', 'x/y/a.ts', 'z/a.ts'),
  symbol: fc.constantFrom('', 'A', 'A.b', 'A.b.c', 'd'),
  body_hash: fc.constantFrom(null, 'h1', 'h2', 'h3', 'h4'),
})
const random = fc.record({
  places: fc.array(place, { minLength: 1, maxLength: 15 }),
  links: fc.array(
    fc.tuple(fc.constantFrom<GraphEdge['kind']>('import', 'symbol_import', 'call'), fc.nat(), fc.nat()),
    {
      maxLength: 20,
    },
  ),
})

function graphOf({
  places,
  links,
}: {
  places: readonly Omit<GraphNode, 'kind'>[]
  links: readonly [GraphEdge['kind'], number, number][]
}): CodeGraph {
  const nodes = new Map<string, GraphNode>()
  const add = (node: GraphNode) => nodes.set(`${node.path}#${node.symbol}`, node)
  for (const { path, symbol, body_hash } of places) {
    for (let folder = path; folder !== ''; ) {
      folder = parentPath(folder)
      add({ kind: 'folder', path: folder, symbol: '', body_hash: null })
    }
    add({ kind: 'file', path, symbol: '', body_hash: null })
    if (symbol !== '') add({ kind: 'symbol', path, symbol, body_hash })
  }
  const sorted = [...nodes.values()].sort(nodeOrder)
  const edges = new Map(
    links.map(([kind, a, b]) => {
      const edge = { kind, from: a % sorted.length, to: b % sorted.length }
      return [`${kind} ${edge.from} ${edge.to}`, edge]
    }),
  )
  const own = [...edges.values()].filter(({ kind, from, to }) => kind === 'call' || from !== to)
  return {
    nodes: sorted,
    edges: own.sort(edgeOrder),
    files_total: 0,
    skipped: [],
    references_total: 0,
    references_resolved: 0,
  }
}

const nothing: StoredIndex = { nodes: [], edges: columnsOf([]) }
const history: History = {
  kind: 'rewritten',
  commit: 'c',
  steps: [],
  ends: [],
  present: null,
  renames: 'similar',
}
const planFor = (stored: StoredIndex, graph: CodeGraph) =>
  prepareIndex(stored, graph, history, async () => [])

/** What the statements do, with lists. A place is never held by two live nodes, at no time. */
function applied(stored: StoredIndex, plan: Plan, version: number): StoredIndex {
  const base = Math.max(0, ...stored.nodes.map(({ nid }) => nid))
  const numbered = (nid: number) => (nid < 0 ? base - nid : nid)
  const rows = new Map(stored.nodes.map((row) => [row.nid, row]))
  const write = (row: StoredRow) => {
    const live = [...rows.values()].filter((each) => each.is_live && each.nid !== row.nid)
    if (row.is_live)
      expect(live.map(({ path, symbol }) => [path, symbol])).not.toContainEqual([row.path, row.symbol])
    rows.set(row.nid, row)
  }
  for (const each of [...plan.removed, ...plan.moved]) {
    const old = rows.get(each.nid) as StoredRow
    write({
      ...old,
      is_live: false,
      parent_nid: null,
      removed_version: each.change === 'removed' ? version : 0,
    })
  }
  for (const each of [...plan.created, ...plan.moved, ...plan.changed]) {
    const { nid, parent_nid, kind, path, symbol, body_hash, import_degree, call_degree, contains_degree } =
      each
    const parent = parent_nid === null ? null : numbered(parent_nid)
    if (parent !== null) expect(rows.has(parent)).toBe(true)
    const degrees = { import_degree, call_degree, contains_degree }
    write({
      kind,
      path,
      symbol,
      body_hash,
      ...degrees,
      nid: numbered(nid),
      parent_nid: parent,
      is_live: true,
      removed_version: 0,
    })
  }
  const edges = new Set<string>()
  const each = ({ src, kind, dst }: StoredIndex['edges'], todo: (edge: string) => void) => {
    for (const [at, from] of src.entries()) todo(`${numbered(from)} ${kind[at]} ${numbered(dst[at] ?? 0)}`)
  }
  each(stored.edges, (edge) => edges.add(edge))
  each(plan.edges.removed, (edge) => expect(edges.delete(edge)).toBe(true))
  each(plan.edges.added, (edge) => {
    expect(edges.has(edge)).toBe(false)
    edges.add(edge)
  })
  return {
    nodes: [...rows.values()],
    edges: columnsOf([...edges].map((edge) => edge.split(' ').map(Number))),
  }
}

/** Without ids: by places. */
function shown({ nodes, edges }: StoredIndex) {
  const live = nodes.filter(({ is_live }) => is_live)
  const at = new Map(live.map(({ nid, path, symbol }) => [nid, `${path}#${symbol}`]))
  return {
    nodes: live
      .map(({ nid, parent_nid, removed_version, is_live, ...row }) => ({
        ...row,
        parent: at.get(parent_nid ?? -1),
      }))
      .sort(nodeOrder),
    edges: [...edges.src]
      .map((src, n) => `${at.get(src)} ${edges.kind[n]} ${at.get(edges.dst[n] ?? 0)}`)
      .sort(),
  }
}

test('whatever was stored, the difference leads to what a full index has, and no id changes its kind', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(random, { minLength: 2, maxLength: 5 }), async (states) => {
      let stored = nothing
      const kinds = new Map<number, string>()
      for (const [n, state] of states.entries()) {
        const graph = graphOf(state)
        stored = applied(stored, await planFor(stored, graph), n + 1)
        expect(shown(stored)).toEqual(shown(applied(nothing, await planFor(nothing, graph), 1)))
        for (const { nid, kind } of stored.nodes) {
          expect(kinds.get(nid) ?? kind).toBe(kind)
          kinds.set(nid, kind)
        }
        const again = await planFor(stored, graph)
        expect([again.removed, again.moved, again.changed, again.created]).toEqual([[], [], [], []])
        expect([again.edges.removed.src.length, again.edges.added.src.length]).toEqual([0, 0])
      }
    }),
    { numRuns: 150 },
  )
})

test('paths that do not fit into an index are left out with what is in them', async () => {
  const long = 'x'.repeat(1025)
  const graph = graphOf({
    places: [
      { path: `${long}/a.ts`, symbol: 'A', body_hash: null },
      { path: 'b.ts', symbol: 'ä'.repeat(257), body_hash: null },
    ],
    links: [['import', 2, 3]],
  })
  const plan = await planFor(nothing, graph)
  expect(plan.created.map(({ path, symbol }) => [path, symbol])).toEqual([
    ['', ''],
    ['b.ts', ''],
  ])
})
