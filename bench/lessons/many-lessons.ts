import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'

export interface Size {
  readonly nodes: number
  readonly lessons: number
  /** Of vectors; 0 for none. */
  readonly dimension: number
}
export interface Filled {
  readonly brand_id: number
  readonly project_id: string
  readonly edges: number
}

const filling = fileURLToPath(new URL('../../apps/server/test/walks/fill-process.ts', import.meta.url))
/** Folders of 20 files with 8 symbols each; node 1 is the root. */
const perFolder = 181

/** A workspace with the graph that walks are measured on, and lessons on its files and symbols, written past the API. */
export async function fillLessons(client: pg.Client, database: string, size: Size): Promise<Filled> {
  const graph = await new Promise<Filled>((resolve, reject) => {
    const child = fork(filling, { stdio: 'inherit' })
    child.once('message', (made) => resolve(made as Filled))
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the process that fills ended (${code})`)))
    child.send({ database, nodes: size.nodes })
  })
  const { brand_id, project_id } = graph
  await client.query(`set session_replication_role = replica; set synchronous_commit = off; set jit = off;
    set work_mem = '256MB'; set maintenance_work_mem = '256MB'`)
  await client.query(
    `insert into code_index.repositories (brand_id, project_id, url, generation)
     values ($1, $2, 'https://git.example/a.git', 1)`,
    [brand_id, project_id],
  )
  await writeLessons(client, brand_id, project_id, size)
  // A vacuum marks as visible to all only what has reached the disk, and index-only scans live on that mark.
  await client.query('reset synchronous_commit')
  await client.query('create temp table flushed as select 1; drop table flushed')
  for (const table of ['lessons', 'anchors', 'anchor_ups', 'vectors'])
    await client.query(`vacuum analyze lessons.${table}`)
  await client.query('reset session_replication_role')
  return graph
}

async function writeLessons(client: pg.Client, brand_id: number, project_id: string, size: Size) {
  const { nodes, lessons, dimension } = size
  await client.query('insert into lessons.states (brand_id, project_id, index_version) values ($1, $2, 1)', [
    brand_id,
    project_id,
  ])
  await client.query(
    `insert into lessons.lessons (brand_id, id, project_id, slug, type, title, body, is_pinned, is_retired, origin,
       file_digest, file_text, created_at)
     select $1, gen_random_uuid(), $2, 'area' || n % 200 || '/n' || n, 'rule', 'Lesson ' || n,
       repeat('What somebody learned here. ', 12), n % 100 = 0, false, 'repository', '', '', now() - make_interval(secs => n)
     from generate_series(1, $3::int) n`,
    [brand_id, project_id, lessons],
  )
  // Strewn over files and symbols; each goes up to its file, its folder and the root.
  await client.query(
    `insert into lessons.anchors (brand_id, lesson_id, position, project_id, raw_text, path, symbol, is_folder, nid)
     select l.brand_id, l.id, 0, l.project_id, '', n.path, n.symbol, false, n.nid
     from (select *, 2 + (row_number() over (order by slug) * 7919) % ($3::int - 1) as at from lessons.lessons
       where brand_id = $1 and project_id = $2) l
     join code_index.nodes n on n.brand_id = $1 and n.nid = case when (l.at - 2) % ${perFolder} = 0 then l.at + 1 else l.at end`,
    [brand_id, project_id, nodes],
  )
  await client.query(
    `insert into lessons.anchor_ups (brand_id, lesson_id, nid, dist, is_pinned, created_at)
     with recursive up as (
       select a.lesson_id, n.nid, n.parent_nid, 0 as dist from lessons.anchors a
       join code_index.nodes n on n.brand_id = $1 and n.nid = a.nid where a.brand_id = $1
       union all
       select u.lesson_id, n.nid, n.parent_nid, u.dist + 1 from up u
       join code_index.nodes n on n.brand_id = $1 and n.nid = u.parent_nid)
     select $1, u.lesson_id, u.nid, u.dist, l.is_pinned, l.created_at from up u
     join lessons.lessons l on l.brand_id = $1 and l.id = u.lesson_id`,
    [brand_id],
  )
  if (dimension === 0) return
  await client.query(
    `insert into lessons.vectors (brand_id, lesson_id, model, dimension, text_hash, vector)
     select $1, l.id, 'bag-of-words', $3, '', v.vector
     from lessons.lessons l cross join lateral (
       select l2_normalize(array_agg(random() - 0.5 + 0 * g)::vector)::halfvec as vector
       from generate_series(1, $3::int) g where l.slug is not null) v
     where l.brand_id = $1 and l.project_id = $2`,
    [brand_id, project_id, dimension],
  )
}

/** Ids of files of folders strewn over the graph, others in each round. */
export async function startsIn(
  client: pg.Client,
  brand_id: number,
  nodes: number,
  { starts, round }: { readonly starts: number; readonly round: number },
): Promise<string[]> {
  const folders = Math.floor((nodes - 2) / perFolder)
  const nids = Array.from(
    { length: starts },
    (_, n) => 3 + ((round * 7919 + n * 104_729 + 401) % folders) * perFolder,
  )
  return idsOf(client, brand_id, nids)
}

/** The root and the first nodes of the graph. */
export const firstNodes = (client: pg.Client, brand_id: number, count: number): Promise<string[]> =>
  idsOf(
    client,
    brand_id,
    Array.from({ length: count }, (_, n) => n + 1),
  )

async function idsOf(client: pg.Client, brand_id: number, nids: readonly number[]): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    'select id from code_index.nodes where brand_id = $1 and nid = any($2) order by nid',
    [brand_id, nids],
  )
  return rows.map(({ id }) => id)
}
