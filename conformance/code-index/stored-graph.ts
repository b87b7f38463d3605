import type { Sql } from '@crewhall/testkit/world/database-access.ts'

export interface StoredNode {
  readonly id: string
  readonly kind: string
  readonly path: string
  readonly symbol: string
  readonly body_hash: string | null
  readonly parent: string | null
  readonly import_degree: number
  readonly call_degree: number
  readonly contains_degree: number
  readonly is_live: boolean
  readonly removed_in: string | null
}

/** Every node of a project, removed ones too, without the numbers that only the database knows. */
export const storedNodes = (sql: Sql, project_id: string): Promise<StoredNode[]> =>
  sql<StoredNode>(
    `select n.id, (array['folder', 'file', 'symbol'])[n.kind + 1] as kind, n.path, n.symbol, n.body_hash,
       p.path || '#' || p.symbol as parent, n.import_degree, n.call_degree, n.contains_degree, n.is_live, n.removed_in
     from code_index.nodes n
     left join code_index.nodes p on p.brand_id = n.brand_id and p.nid = n.parent_nid
     where n.project_id = $1 order by n.path collate "C", n.symbol collate "C", n.kind, n.id`,
    [project_id],
  )

/** Edges by the places that they join. */
export const storedEdges = async (sql: Sql, project_id: string): Promise<string[]> =>
  (
    await sql<{ edge: string }>(
      `select (e.kind || ' ' || a.path || '#' || a.symbol || ' > ' || b.path || '#' || b.symbol) collate "C" as edge
       from code_index.edges e
       join code_index.nodes a on a.brand_id = e.brand_id and a.nid = e.src
       join code_index.nodes b on b.brand_id = e.brand_id and b.nid = e.dst
       where a.project_id = $1 order by edge`,
      [project_id],
    )
  ).map(({ edge }) => edge)
