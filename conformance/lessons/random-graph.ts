import fc from 'fast-check'
import type pg from 'pg'
import type { RefEdge, RefGraph, RefLesson, RefNode, RefQuery } from './near-reference.ts'

/** A query as it is sent: some starts by their place, the others by id. */
export interface RandomQuery extends RefQuery {
  readonly by_id: readonly boolean[]
}
interface Shape {
  /** For each node after the root: its parent among those before it, by chance. */
  readonly folders: readonly number[]
  readonly files: readonly number[]
  readonly symbols: readonly number[]
  readonly is_dead: readonly boolean[]
  readonly edges: readonly (readonly [kind: number, from: number, to: number])[]
  readonly lessons: readonly { readonly pinned: boolean; readonly anchors: readonly number[] }[]
  readonly queries: readonly RandomQuery[]
}

const some = (max: number, least = 0, of = fc.nat()) =>
  fc.array(of, { minLength: least, maxLength: max, size: 'max' })
const queries: fc.Arbitrary<RandomQuery> = fc.record({
  // The root more often than chance has it: only from there so many nodes are reached that a walk is cut.
  starts: some(7, 1, fc.oneof({ weight: 8, arbitrary: fc.nat() }, { weight: 1, arbitrary: fc.constant(0) })),
  by_id: fc.array(fc.boolean(), { minLength: 7, maxLength: 7 }),
  depth: fc.nat(3),
  kinds: fc.uniqueArray(fc.constantFrom('import', 'call', 'contains'), { maxLength: 3 }),
  direction: fc.constantFrom('out', 'in', 'both'),
  hub_cap: fc.integer({ min: 1, max: 8 }),
  limit: fc.integer({ min: 1, max: 12 }),
})
const shape = (folders: number, files: fc.Arbitrary<number[]>): fc.Arbitrary<Shape> =>
  fc.record({
    folders: some(folders),
    files,
    symbols: some(10),
    is_dead: fc.array(
      fc.nat(9).map((n) => n === 0),
      { minLength: 40, maxLength: 40 },
    ),
    edges: fc.array(fc.tuple(fc.nat(2), fc.nat(), fc.nat()), { maxLength: 40, size: 'max' }),
    lessons: fc.array(fc.record({ pinned: fc.boolean(), anchors: some(3, 1) }), {
      maxLength: 15,
      size: 'max',
    }),
    queries: fc.array(queries, { minLength: 2, maxLength: 3 }),
  })
export const shapes: fc.Arbitrary<Shape> = fc.oneof(
  { weight: 30, arbitrary: shape(6, some(14, 1)) },
  { weight: 1, arbitrary: shape(1, some(1300, 1150)) },
)

interface SeededNode extends RefNode {
  readonly kind: 0 | 1 | 2
  readonly path: string
  readonly symbol: string
}
export interface RandomGraph extends RefGraph {
  readonly nodes: readonly SeededNode[]
  readonly queries: readonly RandomQuery[]
}

const edgeKinds = ['import', 'symbol_import', 'call'] as const

/** The graph of a shape; its nodes have the numbers after `before`. */
export function graphOf(shape: Shape, before: number): RandomGraph {
  const nodes = nodesOf(shape, before)
  const at = <T>(list: readonly T[], chance: number) => list[chance % list.length] as T
  const live = nodes.filter(({ is_live }) => is_live)
  const edges = new Map<string, RefEdge>()
  for (const [kind, from, to] of shape.edges) {
    const edge = { kind: at(edgeKinds, kind), from: at(live, from).number, to: at(live, to).number }
    edges.set(JSON.stringify(edge), edge)
  }
  const lessons = shape.lessons.map(({ pinned, anchors }, n): RefLesson => {
    const all = anchors.map((chance) => at(nodes, chance)).filter(({ path }) => path !== '')
    return {
      id: `r/${String.fromCharCode(65 + ((n * 37) % 58))}${n}`,
      pinned,
      anchors: all.map(({ number }) => number),
    }
  })
  const sent = shape.queries.map((query) => ({
    ...query,
    starts: query.starts.map((chance) => at(nodes, chance).number),
  }))
  return { nodes, edges: [...edges.values()], lessons, queries: sent }
}

function nodesOf({ folders, files, symbols, is_dead }: Shape, before: number): SeededNode[] {
  const nodes: SeededNode[] = []
  const add = (kind: SeededNode['kind'], path: string, symbol: string, parent: SeededNode | null) => {
    const number = before + nodes.length + 1
    // Dead code has no parent, and nothing that is alive is in it.
    const isDead = parent !== null && (!parent.is_live || is_dead[number % is_dead.length] === true)
    const place = kind === 2 ? `${path}#${symbol}` : kind === 0 ? `${path}/` : path
    const id = crypto.randomUUID()
    nodes.push({
      number,
      id,
      place,
      kind,
      path,
      symbol,
      parent: isDead ? null : (parent?.number ?? null),
      is_live: !isDead,
    })
  }
  add(0, '', '', null)
  const pick = (kind: SeededNode['kind'], chance: number) => {
    const all = nodes.filter((node) => node.kind === kind)
    return all[chance % all.length] as SeededNode
  }
  for (const chance of folders) {
    const parent = pick(0, chance)
    add(0, `${parent.path === '' ? '' : `${parent.path}/`}d${nodes.length}`, '', parent)
  }
  for (const chance of files) {
    const parent = pick(0, chance)
    add(1, `${parent.path === '' ? '' : `${parent.path}/`}f${nodes.length}.ts`, '', parent)
  }
  for (const chance of symbols) {
    const symbolsSoFar = nodes.filter(({ kind }) => kind === 2)
    const inner = chance % 3 === 0 ? symbolsSoFar[chance % (symbolsSoFar.length || 1)] : undefined
    const parent = inner ?? pick(1, chance)
    add(2, parent.path, `${inner ? `${inner.symbol}.` : ''}S${nodes.length}`, parent)
  }
  return nodes
}

export interface Place {
  readonly brand_id: number
  readonly project_id: string
}

/** Writes the index of the graph and its lessons past the API. */
export async function seedGraph(admin: pg.Client, of: Place, graph: RandomGraph): Promise<void> {
  const { brand_id, project_id } = of
  const { nodes, edges, lessons } = graph
  const touching = (number: number, kinds: readonly string[]) =>
    edges.filter(({ kind, from, to }) => kinds.includes(kind) && (from === number || to === number)).length
  const children = new Map<number, number>()
  for (const { parent } of nodes) if (parent !== null) children.set(parent, (children.get(parent) ?? 0) + 1)
  const columns = <T>(list: readonly T[], ...read: ((item: T) => unknown)[]) => read.map((of) => list.map(of))
  await admin.query(
    `insert into code_index.nodes (brand_id, project_id, nid, id, kind, path, symbol, parent_nid, import_degree, call_degree,
       contains_degree, is_live, removed_in, removed_version)
     select $1, $2, n.*, case when n.is_live then null else 'gone' end, 0
     from unnest($3::int[], $4::uuid[], $5::int[], $6::text[], $7::text[], $8::int[], $9::int[], $10::int[], $11::int[],
       $12::boolean[]) as n (nid, id, kind, path, symbol, parent, imports, calls, contains, is_live)`,
    [
      ...[brand_id, project_id],
      ...columns(
        nodes,
        ({ number }) => number,
        ({ id }) => id,
        ({ kind }) => kind,
        ({ path }) => path,
        ({ symbol }) => symbol,
        ({ parent }) => parent,
        ({ number }) => touching(number, ['import', 'symbol_import']),
        ({ number }) => touching(number, ['call']),
        ({ number, parent }) => (children.get(number) ?? 0) + (parent === null ? 0 : 1),
        ({ is_live }) => is_live,
      ),
    ],
  )
  await admin.query(
    `insert into code_index.edges (brand_id, src, kind, dst)
     select $1, e.* from unnest($2::int[], $3::int[], $4::int[]) as e (src, kind, dst)`,
    [
      brand_id,
      ...columns(
        edges,
        ({ from }) => from,
        ({ kind }) => edgeKinds.indexOf(kind),
        ({ to }) => to,
      ),
    ],
  )
  await admin.query(
    `insert into code_index.indexes (brand_id, project_id, version, commit_id, history, published_at)
     values ($1, $2, 1, 'c', 'first', now())`,
    [brand_id, project_id],
  )
  await seedLessons(admin, of, nodes, lessons)
}

async function seedLessons(
  admin: pg.Client,
  { brand_id, project_id }: Place,
  nodes: readonly SeededNode[],
  lessons: readonly RefLesson[],
): Promise<void> {
  await admin.query(
    'insert into lessons.states (brand_id, project_id, index_version) values ($1, $2, 1) on conflict do nothing',
    [brand_id, project_id],
  )
  await admin.query(
    `insert into lessons.lessons (brand_id, project_id, id, slug, type, title, body, is_pinned, is_retired, origin,
       file_digest, file_text)
     select $1, $2, gen_random_uuid(), l.slug, 'rule', l.slug, l.slug, l.is_pinned, false, 'repository', '', ''
     from unnest($3::text[], $4::boolean[]) as l (slug, is_pinned)`,
    [brand_id, project_id, lessons.map(({ id }) => id), lessons.map(({ pinned }) => pinned)],
  )
  const byNumber = new Map(nodes.map((node) => [node.number, node]))
  const anchors = lessons.flatMap(({ id, anchors }) =>
    anchors.flatMap((number, position) => {
      const node = byNumber.get(number)
      return node ? [{ ...node, slug: id, position }] : []
    }),
  )
  await admin.query(
    `insert into lessons.anchors (brand_id, project_id, lesson_id, position, raw_text, path, symbol, is_folder, nid, removed_in,
       removed_version)
     select $1, $2, l.id, a.position, a.place, a.path, a.symbol, a.kind = 0, a.nid, case when a.is_live then null else 'gone' end,
       case when a.is_live then null else 1 end
     from unnest($3::text[], $4::int[], $5::text[], $6::text[], $7::text[], $8::int[], $9::int[], $10::boolean[])
       as a (slug, position, place, path, symbol, kind, nid, is_live)
     join lessons.lessons l on l.brand_id = $1 and l.project_id = $2 and l.slug = a.slug`,
    [
      ...[brand_id, project_id, anchors.map(({ slug }) => slug), anchors.map(({ position }) => position)],
      ...[anchors.map(({ place }) => place), anchors.map(({ path }) => path)],
      ...[anchors.map(({ symbol }) => symbol), anchors.map(({ kind }) => kind)],
      ...[anchors.map(({ number }) => number), anchors.map(({ is_live }) => is_live)],
    ],
  )
  await admin.query(
    `insert into lessons.anchor_ups (brand_id, lesson_id, nid, dist, is_pinned, created_at)
     select l.brand_id, l.id, u.nid, u.dist, l.is_pinned, l.created_at
     from lessons.lessons l cross join lateral lessons.true_ups(l.brand_id, l.id) u
     where l.brand_id = $1 and l.project_id = $2`,
    [brand_id, project_id],
  )
}
