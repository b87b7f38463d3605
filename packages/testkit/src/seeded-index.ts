import type pg from 'pg'

/** A symbol is `path#name`; folders come by themselves. */
export interface SeededEdge {
  readonly kind: 'import' | 'symbol_import' | 'call'
  readonly from: string
  readonly to: string
}

const edgeKinds = ['import', 'symbol_import', 'call']

/** Writes a complete index of a project past the API; returns the ids by place, folders with a slash at their end. */
export async function seedIndex(
  admin: pg.Client,
  of: { readonly brand_id: number; readonly project_id: string },
  places: readonly string[],
  edges: readonly SeededEdge[] = [],
): Promise<Map<string, string>> {
  const { brand_id, project_id } = of
  const { rows } = await admin.query<{ last_nid: number }>(
    `insert into code_index.node_ids (brand_id, last_nid) values ($1, 1000)
     on conflict (brand_id) do update set last_nid = node_ids.last_nid + 10000 returning last_nid`,
    [brand_id],
  )
  const nodes = nodesOf(places, rows[0]?.last_nid ?? 0)
  const nidOf = (place: string) => nodes.get(place)?.nid ?? 0
  const touching = (place: string, kinds: readonly string[]) =>
    edges.filter(({ kind, from, to }) => kinds.includes(kind) && (from === place || to === place)).length
  const ids = new Map<string, string>()
  for (const [place, { nid, kind, path, symbol, parent }] of nodes) {
    const children = [...nodes.values()].filter((each) => each.parent === place).length
    const written = await admin.query<{ id: string }>(
      `insert into code_index.nodes (brand_id, nid, project_id, kind, path, symbol, parent_nid, import_degree, call_degree,
         contains_degree) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning id`,
      [
        ...[brand_id, nid, project_id, kind, path, symbol, parent === undefined ? null : nidOf(parent)],
        ...[touching(place, ['import', 'symbol_import']), touching(place, ['call'])],
        children + (parent === undefined ? 0 : 1),
      ],
    )
    ids.set(place, written.rows[0]?.id ?? '')
  }
  for (const { kind, from, to } of edges)
    await admin.query('insert into code_index.edges (brand_id, src, kind, dst) values ($1, $2, $3, $4)', [
      ...[brand_id, nidOf(from), edgeKinds.indexOf(kind), nidOf(to)],
    ])
  await admin.query(
    `insert into code_index.indexes (brand_id, project_id, version, commit_id, history, nodes, edges, published_at)
     values ($1, $2, 1, $3, 'first', $4, $5, now())`,
    [brand_id, project_id, 'c'.repeat(40), nodes.size, edges.length],
  )
  return ids
}

interface SeededNode {
  readonly nid: number
  readonly kind: number
  readonly path: string
  readonly symbol: string
  readonly parent: string | undefined
}

function nodesOf(places: readonly string[], before: number): Map<string, SeededNode> {
  const nodes = new Map<string, SeededNode>()
  const add = (place: string, kind: number, path: string, symbol: string, parent: string | undefined) => {
    if (!nodes.has(place)) nodes.set(place, { nid: before + nodes.size + 1, kind, path, symbol, parent })
  }
  add('/', 0, '', '', undefined)
  for (const place of places) {
    const [path = '', symbol = ''] = place.split('#')
    const parts = path.split('/')
    let parent = '/'
    for (let n = 1; n < parts.length; n += 1) {
      const folder = parts.slice(0, n).join('/')
      add(`${folder}/`, 0, folder, '', parent)
      parent = `${folder}/`
    }
    add(path, 1, path, '', parent)
    if (symbol !== '') add(place, 2, path, symbol, path)
  }
  return nodes
}
