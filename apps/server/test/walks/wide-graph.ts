import { randomUUID } from 'node:crypto'
import type pg from 'pg'

export interface WideGraph {
  readonly brand_id: number
  readonly project_id: string
  readonly nodes: number
  readonly edges: number
}

// Folders of 20 files with 8 symbols each. Edges are five times as many as nodes.
const perFolder = 181
const perFile = 9
const hubs = 400
const folderOf = (folder: string) => `(2 + ${perFolder} * (${folder}))`
const hubFile = (rank: string) => `(${folderOf(rank)} + 1)`

/**
 * A graph as large repositories have it, made by the database. How many edges leave a node is spread as in real code (many
 * have few, few have many). Most lead to places near by, some anywhere, and one in twelve to one of 400 hubs, the first of
 * which has 25,000 edges when there are a million nodes. `client` is that of a superuser. `onStep` hears how long each
 * part has taken.
 */
export async function makeWideGraph(
  client: pg.ClientBase,
  nodes: number,
  onStep: (what: string, seconds: number) => void = () => {},
): Promise<WideGraph> {
  let began = performance.now()
  const took = (what: string) => {
    onStep(what, (performance.now() - began) / 1000)
    began = performance.now()
  }
  const [brand_id, project_id] = await makeProject(client)
  await client.query(`
    set session_replication_role = replica; set synchronous_commit = off; set jit = off;
    set work_mem = '256MB'; set maintenance_work_mem = '256MB'; set max_parallel_workers_per_gather = 0;
    select setseed(0.5)`)
  await client.query(
    `create temp table made_edges as
     select distinct src, kind, dst from (
       select src, kind, case
           when roll < 0.08 then ${hubFile(`floor(power(least($1::int / ${perFolder}, ${hubs}), place))::int - 1`)}
           when roll < 0.18 then 2 + floor(place * ($1::int - 1))::int
           else least($1::int, greatest(2, src + floor(1800 * (place - 0.5))::int)) end as dst
       from (
         select s.nid as src, k.kind, random() as roll, random() as place
         from (select 2 + n as nid, n % ${perFolder} as place from generate_series(0, $1::int - 2) n) s
         -- Files import files and symbols, symbols call symbols.
         join (values (0, true, 10.5), (1, true, 12.5), (2, false, 3.15)) k (kind, of_files, mean)
           on k.of_files = (s.place % ${perFile} = 1) and s.place > 0
         -- That names the node, so that each one has a number of its own.
         cross join lateral generate_series(1, floor(0.5 - ln(1 - random()) * k.mean + 0 * s.nid)::int)
         offset 0
       ) made
     ) e where src <> dst and dst between 2 and $1::int`,
    [nodes],
  )
  took('edges chosen')
  await client.query(
    `create temp table made_degrees as
     select nid, count(*) filter (where kind < 2) as imports, count(*) filter (where kind = 2) as calls
     from (select src as nid, kind from made_edges union all select dst, kind from made_edges where src <> dst) e
     group by nid`,
  )
  await withoutIndexes(client, 'nodes', () =>
    client.query(
      `insert into code_index.nodes (brand_id, nid, project_id, kind, path, symbol, parent_nid, import_degree, call_degree,
         contains_degree)
       select $1::int, 1, $2::uuid, 0, '', '', null, 0, 0, ($3::int - 2) / ${perFolder} + 1
       union all
       select $1::int, s.nid, $2::uuid, s.kind, 'd' || n / ${perFolder} || case when s.kind = 0 then '' else
           '/f' || (s.place - 1) / ${perFile} end,
         case when s.kind = 2 then 's' || n else '' end,
         case s.kind when 0 then 1 when 1 then s.nid - s.place else s.nid - (s.place - 1) % ${perFile} end,
         coalesce(d.imports, 0), coalesce(d.calls, 0),
         1 + case s.kind when 0 then (least($3::int - s.nid, ${perFolder} - 1) + ${perFile - 1}) / ${perFile}
           when 1 then least($3::int - s.nid, ${perFile - 1}) else 0 end
       from generate_series(0, $3::int - 2) n
       cross join lateral (select 2 + n as nid, n % ${perFolder} as place,
         case when n % ${perFolder} = 0 then 0 when n % ${perFolder} % ${perFile} = 1 then 1 else 2 end as kind) s
       left join made_degrees d on d.nid = s.nid`,
      [brand_id, project_id, nodes],
    ),
  )
  took('nodes written')
  const edges = await writeEdges(client, brand_id)
  took('edges written, with their indexes')
  await client.query(
    `insert into code_index.indexes (brand_id, project_id, epoch, version, commit_id, history, nodes, edges, published_at)
     values ($1, $2, 1, 1, 'c', 'first', $3, $4, now())`,
    [brand_id, project_id, nodes, edges],
  )
  await client.query('drop table made_edges, made_degrees')
  for (const table of ['edges', 'nodes', 'indexes']) await client.query(`vacuum analyze code_index.${table}`)
  took('vacuum and statistics')
  await client.query('reset session_replication_role')
  return { brand_id, project_id, nodes, edges }
}

async function writeEdges(client: pg.ClientBase, brand_id: number): Promise<number> {
  const { rows } = await client.query<{ key: string }>(
    `select pg_get_constraintdef(c.oid) as key from pg_constraint c
     where c.conname = 'edges_pkey' and c.conrelid = 'code_index.edges'::regclass`,
  )
  await client.query('alter table code_index.edges drop constraint edges_pkey')
  const { rowCount } = await withoutIndexes(client, 'edges', () =>
    client.query(
      'insert into code_index.edges (brand_id, src, kind, dst) select $1::int, src, kind, dst from made_edges',
      [brand_id],
    ),
  )
  await client.query(`alter table code_index.edges add constraint edges_pkey ${rows[0]?.key}`)
  return rowCount ?? 0
}

/** Indexes are made after the rows: millions of entries one by one take minutes. Those of constraints stay. */
async function withoutIndexes<T>(client: pg.ClientBase, table: string, write: () => Promise<T>): Promise<T> {
  const { rows } = await client.query<{ name: string; made: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as made from pg_index i
     where i.indrelid = $1::regclass and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`,
    [`code_index.${table}`],
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  const written = await write()
  for (const { made } of rows) await client.query(made)
  return written
}

async function makeProject(client: pg.ClientBase): Promise<[number, string]> {
  const { rows } = await client.query<{ id: number }>(
    `insert into identity.brands (name, plan_key, scope_ceiling) values ('A', 'business', '{}') returning id`,
  )
  const brand_id = rows[0]?.id ?? 0
  const project_id = randomUUID()
  const values = [brand_id, project_id]
  await client.query(`insert into code_index.projects (brand_id, id, name) values ($1, $2, 'P')`, values)
  return [brand_id, project_id]
}

/** Ids of the first files of folders strewn over the graph, others in each round; hubs from the most popular on. */
export async function startsIn(
  client: pg.ClientBase,
  { brand_id, nodes }: WideGraph,
  { starts, from }: { readonly starts: number; readonly from: 'files' | 'hubs' },
  round: number,
): Promise<string[]> {
  const folders = Math.floor((nodes - 2) / perFolder)
  const ranks = Math.min(folders, hubs)
  const nids = Array.from({ length: starts }, (_, n) => {
    const at =
      from === 'hubs' ? (round + n) % Math.min(ranks, 50) : (round * 7919 + n * 104_729 + 401) % folders
    return 2 + at * perFolder + 1
  })
  const { rows } = await client.query<{ id: string }>(
    'select id from code_index.nodes where brand_id = $1 and nid = any($2) order by nid',
    [brand_id, nids],
  )
  return rows.map(({ id }) => id)
}
