import { randomUUID } from 'node:crypto'
import { scaled } from '@crewhall/testkit/rounds.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isReady, walk } from '#modules/code-index'
import { CodeIndexBed } from '../../../../test/code-index-bed.ts'
import type { CodeGraph, GraphEdge, GraphNode } from '../graph/graph.rules.ts'
import { edgeOrder, nodeOrder, parentPath } from '../graph/graph.rules.ts'
import { collectStored, readStored } from '../nodes/stored-index.service.ts'
import { prepareIndex } from '../publication/prepare.service.ts'
import { openIndex, publishIndex } from '../publication/publication.service.ts'
import type { WalkDirection, WalkKind, WalkQuery } from './walk.rules.ts'
import { pathTo } from './walk.rules.ts'

let bed: CodeIndexBed
beforeAll(async () => {
  bed = await CodeIndexBed.open()
})
afterAll(() => bed.close())

/** Folders, files and symbols by their paths; a symbol is `path#name`. Edges by the same names. */
function graphOf(
  places: readonly string[],
  links: readonly [GraphEdge['kind'], string, string][],
): CodeGraph {
  const nodes = new Map<string, GraphNode>()
  const add = (kind: GraphNode['kind'], path: string, symbol = '') =>
    nodes.set(`${path}#${symbol}`, { kind, path, symbol, body_hash: null })
  for (const place of places) {
    const [path = '', symbol = ''] = place.split('#')
    for (let folder = path; folder !== ''; ) {
      folder = parentPath(folder)
      add('folder', folder)
    }
    add('file', path)
    if (symbol !== '') add('symbol', path, symbol)
  }
  const sorted = [...nodes.values()].sort(nodeOrder)
  const at = new Map(sorted.map(({ path, symbol }, n) => [symbol ? `${path}#${symbol}` : path, n]))
  const edges = links
    .map(([kind, from, to]) => ({ kind, from: at.get(from) ?? -1, to: at.get(to) ?? -1 }))
    .sort(edgeOrder)
  return { nodes: sorted, edges, files_total: 0, skipped: [], references_total: 0, references_resolved: 0 }
}

async function publish(project_id: string, graph: CodeGraph, commit_id = 'c1'): Promise<void> {
  const { epoch } = await openIndex(bed.ctx, project_id)
  const stored = await collectStored(readStored(bed.ctx, project_id))
  const history = {
    kind: 'shallow',
    commit: commit_id,
    steps: [],
    ends: null,
    present: new Set<string>(),
    renames: 'similar',
  } as const
  const plan = await prepareIndex(stored, graph, history, async () => [])
  await publishIndex(
    bed.ctx,
    { project_id, run_id: randomUUID(), epoch, commit_id, history: 'first' },
    plan,
    [],
  )
}

const standard: WalkQuery = { depth: 2, kinds: ['import', 'contains'], direction: 'both', hub_cap: 25 }

async function hopsOf(project_id: string, starts: readonly string[], query: Partial<WalkQuery> = {}) {
  const walked = await walk(bed.ctx, project_id, { paths: starts, node_ids: [] }, { ...standard, ...query })
  if (!walked) throw new Error('no index')
  const names = [...walked.reached.values()].map(({ path, symbol, hops }) => [
    symbol ? `${path}#${symbol}` : path,
    hops,
  ])
  return {
    hops: Object.fromEntries(names),
    damped: walked.damped.map(({ path, degree }) => [path, degree]),
    walked,
  }
}

test('no index is ready before the first one is published; another workspace never sees it', async () => {
  const project = await bed.newProject()
  expect(await isReady(bed.ctx, project)).toBe(false)
  expect(await walk(bed.ctx, project, { paths: ['a.ts'], node_ids: [] }, standard)).toBeUndefined()
  await publish(project, graphOf(['a.ts'], []))
  expect(await isReady(bed.ctx, project)).toBe(true)
  const other = bed.in(await bed.newBrand())
  expect(await isReady(other, project)).toBe(false)
  expect(await walk(other, project, { paths: ['a.ts'], node_ids: [] }, standard)).toBeUndefined()
})

test('a walk climbs one folder a hop, follows imports of symbols as imports, and says the way', async () => {
  const project = await bed.newProject()
  await publish(
    project,
    graphOf(
      ['src/deep/a.ts', 'lib/b.ts#find', 'lib/c.ts', 'src/d.ts#run'],
      [
        ['symbol_import', 'src/deep/a.ts', 'lib/b.ts#find'],
        ['import', 'lib/c.ts', 'lib/b.ts'],
        ['call', 'src/d.ts#run', 'lib/b.ts#find'],
      ],
    ),
  )
  const { hops, walked } = await hopsOf(project, ['src/deep/a.ts'])
  expect(hops).toEqual({ 'src/deep/a.ts': 0, 'lib/b.ts#find': 1, 'src/deep': 1, 'lib/b.ts': 2, src: 2 })
  const file = [...walked.reached.values()].find(({ path, symbol }) => path === 'lib/b.ts' && symbol === '')
  expect(
    pathTo(walked.reached, file?.nid ?? 0).map(({ path, symbol, edge }) => [path, symbol, edge]),
  ).toEqual([
    ['src/deep/a.ts', '', null],
    ['lib/b.ts', 'find', 'symbol_import'],
    ['lib/b.ts', '', 'contains'],
  ])
  // Calls are followed only if they are asked for, and contains goes down only outward.
  expect((await hopsOf(project, ['lib/b.ts#find'], { kinds: ['call'], depth: 1 })).hops).toEqual({
    'lib/b.ts#find': 0,
    'src/d.ts#run': 1,
  })
  expect((await hopsOf(project, ['lib/'], { kinds: ['contains'], direction: 'out', depth: 1 })).hops).toEqual(
    {
      lib: 0,
      'lib/b.ts': 1,
      'lib/c.ts': 1,
    },
  )
  expect((await hopsOf(project, ['lib/'], { kinds: ['contains'], direction: 'in', depth: 1 })).hops).toEqual({
    lib: 0,
    '': 1,
  })
  expect((await hopsOf(project, ['lib/c.ts'], { kinds: [] })).hops).toEqual({ 'lib/c.ts': 0 })
  expect((await hopsOf(project, ['lib/c.ts', 'gone.ts', 'lib/b.ts/'], { depth: 0 })).hops).toEqual({
    'lib/c.ts': 0,
  })
})

test('a hub is reached and not walked through, unless it is a start', async () => {
  const project = await bed.newProject()
  const users = Array.from({ length: 26 }, (_, n) => `u${n}/user.ts`)
  const links = users.map((user): [GraphEdge['kind'], string, string] => ['import', user, 'hub/hub.ts'])
  await publish(project, graphOf([...users, 'hub/hub.ts'], links))
  const query = { kinds: ['import'], depth: 2 } as const
  expect(await hopsOf(project, ['u0/user.ts'], query)).toMatchObject({
    hops: { 'u0/user.ts': 0, 'hub/hub.ts': 1 },
    damped: [['hub/hub.ts', 26]],
  })
  const wide = await hopsOf(project, ['u0/user.ts'], { ...query, hub_cap: 26 })
  expect(Object.keys(wide.hops)).toHaveLength(27)
  expect(wide.damped).toEqual([])
  const both = await hopsOf(project, ['u0/user.ts', 'hub/hub.ts'], query)
  expect(Object.keys(both.hops)).toHaveLength(27)
  expect(both.damped).toEqual([])
})

test('a walk ends at 1,000 nodes, says how many it left out, and gives the same again', async () => {
  const project = await bed.newProject()
  const files = Array.from({ length: 1200 }, (_, n) => `f${n}.ts`)
  await publish(
    project,
    graphOf(
      ['a/start.ts', ...files],
      files.map((file) => ['import', 'a/start.ts', file]),
    ),
  )
  const once = await hopsOf(project, ['a/start.ts'], { kinds: ['import'] })
  expect(once.walked).toMatchObject({ is_truncated: true, left_out: 201 })
  expect(once.walked.reached.size).toBe(1000)
  expect((await hopsOf(project, ['a/start.ts'], { kinds: ['import'] })).hops).toEqual(once.hops)
})

/** The same walk over lists in memory, written down as the interface tells it. */
function plainWalk(graph: CodeGraph, starts: readonly number[], query: WalkQuery, nids: readonly number[]) {
  const order = ['import', 'symbol_import', 'call', 'contains'] as const
  const links = [
    ...graph.edges,
    ...graph.nodes.flatMap((node, to) => {
      if (node.path === '' && node.kind === 'folder') return []
      const dotted = node.symbol.split('.')
      const around = dotted
        .slice(0, -1)
        .map((_, n) => dotted.slice(0, n + 1).join('.'))
        .reverse()
      const holders = node.kind === 'symbol' ? [...around, ''] : ['']
      const path = node.kind === 'symbol' ? node.path : parentPath(node.path)
      const from = holders
        .map((symbol) => graph.nodes.findIndex((each) => each.path === path && each.symbol === symbol))
        .find((at) => at >= 0)
      return from === undefined ? [] : [{ kind: 'contains' as const, from, to }]
    }),
  ]
  const asked = (kind: (typeof order)[number]): WalkKind => (kind === 'symbol_import' ? 'import' : kind)
  const followed = links.filter(({ kind }) => query.kinds.includes(asked(kind)))
  const degree = (at: number) =>
    Math.max(
      0,
      ...query.kinds.map(
        (kind) =>
          followed.filter((link) => asked(link.kind) === kind && (link.from === at || link.to === at)).length,
      ),
    )
  const hops = new Map(starts.map((at) => [at, 0]))
  const damped: number[] = []
  let frontier = [...new Set(starts)]
  for (let hop = 1; hop <= query.depth; hop += 1) {
    const next = new Map<number, number>()
    const reach = (at: number, kind: (typeof order)[number]) => {
      if (!hops.has(at)) next.set(at, Math.min(next.get(at) ?? 9, order.indexOf(kind)))
    }
    for (const { kind, from, to } of followed) {
      if (query.direction !== 'in' && frontier.includes(from)) reach(to, kind)
      if (query.direction !== 'out' && frontier.includes(to)) reach(from, kind)
    }
    const nid = (at: number) => nids[at] ?? 0
    const level = [...next].sort(([a, x], [b, y]) => x - y || nid(a) - nid(b)).map(([at]) => at)
    for (const at of level) hops.set(at, hop)
    damped.push(...level.filter((at) => degree(at) > query.hub_cap))
    frontier = level.filter((at) => degree(at) <= query.hub_cap)
  }
  return { hops, damped }
}

test('LES-06: a walk is the plain walk over lists, on random graphs, and ids are UUIDs', async () => {
  const project = await bed.newProject()
  const place = fc.constantFrom(
    ...['a.ts', 'b.ts', 'x/c.ts', 'x/d.ts', 'x/y/e.ts', 'z/f.ts', 'z/g.ts'].flatMap((file) => [
      file,
      `${file}#A`,
      `${file}#A.b`,
      `${file}#A.b.c`,
    ]),
  )
  const random = fc.record({
    places: fc.uniqueArray(place, { minLength: 1, maxLength: 20 }),
    links: fc.array(
      fc.tuple(fc.constantFrom<GraphEdge['kind']>('import', 'symbol_import', 'call'), fc.nat(), fc.nat()),
      { maxLength: 60 },
    ),
    starts: fc.array(fc.nat(), { minLength: 1, maxLength: 5 }),
    query: fc.record({
      depth: fc.nat({ max: 3 }),
      kinds: fc.uniqueArray(fc.constantFrom<WalkKind>('import', 'call', 'contains')),
      direction: fc.constantFrom<WalkDirection>('out', 'in', 'both'),
      hub_cap: fc.integer({ min: 1, max: 6 }),
    }),
  })
  await fc.assert(
    fc.asyncProperty(random, async ({ places, links, starts, query }) => {
      const bare = graphOf(places, [])
      const count = bare.nodes.length
      const named = new Map(
        links.map(([kind, from, to]) => [
          `${kind} ${from % count} ${to % count}`,
          { kind, from: from % count, to: to % count },
        ]),
      )
      const edges = [...named.values()]
        .filter(({ kind, from, to }) => kind === 'call' || from !== to)
        .sort(edgeOrder)
      const graph = { ...bare, edges }
      await publish(project, graph)
      const rows = await bed.admin.query<{ nid: number; id: string; path: string; symbol: string }>(
        'select nid, id, path, symbol from code_index.nodes where project_id = $1 and is_live',
        [project],
      )
      const byPlace = new Map(rows.rows.map((row) => [`${row.path}#${row.symbol}`, row]))
      const nids = graph.nodes.map(({ path, symbol }) => byPlace.get(`${path}#${symbol}`)?.nid ?? -1)
      const from = [...new Set(starts.map((start) => start % count))]
      const ids = from.map((at) => {
        const node = graph.nodes[at]
        return byPlace.get(`${node?.path}#${node?.symbol}`)?.id ?? ''
      })
      const walked = await walk(bed.ctx, project, { paths: [], node_ids: ids }, query)
      const expected = plainWalk(graph, from, query, nids)
      const seen = [...(walked?.reached.values() ?? [])].map(({ nid, hops }) => [nids.indexOf(nid), hops])
      expect(new Map(seen as [number, number][])).toEqual(expected.hops)
      expect(walked?.damped.map(({ path }) => path).sort()).toEqual(
        expected.damped
          .map((at) => {
            const node = graph.nodes[at]
            return node?.kind === 'symbol'
              ? `${node.path}#${node.symbol}`
              : node?.kind === 'folder'
                ? `${node.path}/`
                : node?.path
          })
          .sort(),
      )
    }),
    { numRuns: scaled(300, 60) },
  )
})
