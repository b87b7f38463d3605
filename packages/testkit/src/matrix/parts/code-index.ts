import { randomUUID } from 'node:crypto'
import { seedIndex } from '../../seeded-index.ts'
import { identified, type MatrixPart, type Scene } from '../part.ts'

export const codeIndexPart: MatrixPart = {
  resources: {
    project: { ...identified, fresh: addProject },
  },
  bodies: {
    'code.createProject': { name: 'made by the matrix' },
    'code.renameProject': { name: 'renamed by the matrix' },
    'code.attachRepository': { url: 'https://93.184.215.14/team/engine.git' },
  },
  before: {
    // What was just made for the call: only an archived project is restored.
    'code.restoreProject': (admin, { person_id }) =>
      admin.query(
        `update code_index.projects set archived_at = now() where (brand_id, id) in (
           select p.brand_id, p.id from code_index.projects p join identity.memberships m on m.brand_id = p.brand_id
           where m.person_id = $1 order by p.created_at desc limit 1)`,
        [person_id],
      ),
  },
  async rows(workspace) {
    return { project: await addProject(workspace) }
  },
  tenant_rows: `
    insert into code_index.projects (brand_id, id, name)
    select id, gen_random_uuid(), 'P' from identity.brands;
    insert into code_index.repositories (brand_id, project_id, url, generation)
    select brand_id, id, 'https://git.example/a.git', 1 from code_index.projects;
    insert into code_index.runs (brand_id, id, project_id, trigger)
    select brand_id, gen_random_uuid(), id, 'request' from code_index.projects;
    insert into code_index.indexes (brand_id, project_id)
    select brand_id, id from code_index.projects on conflict do nothing;
    insert into code_index.node_ids (brand_id, last_nid) select id, 2 from identity.brands on conflict do nothing;
    insert into code_index.nodes (brand_id, nid, project_id, kind, path, symbol, import_degree, call_degree, contains_degree)
    select p.brand_id, 1 + n, p.id, n, 'tenant' || n, '', 1, 0, 0
    from (select brand_id, min(id::text)::uuid as id from code_index.projects group by brand_id) p, generate_series(0, 1) n;
    insert into code_index.edges (brand_id, src, kind, dst) select brand_id, 1, 0, 2 from code_index.node_ids;
    insert into code_index.node_changes (brand_id, project_id, version, nid, change, old_path, old_symbol, path, symbol,
      commit_id)
    select brand_id, project_id, 1, nid, 0, 'b', '', path, '', 'c' from code_index.nodes where nid < 3;
    insert into code_index.blob_facts (brand_id, key, extractor, facts, used_on)
    select id, 'k', '1', '{}', '2026-01-01' from identity.brands;
    insert into code_index.staged_runs (brand_id, run_id, project_id, epoch)
    select brand_id, gen_random_uuid(), project_id, 1 from code_index.indexes;
    insert into code_index.staged_nodes (brand_id, run_id, position, nid, kind, path, symbol, import_degree, call_degree,
      contains_degree, old_path, old_symbol)
    select brand_id, run_id, 0, 1, 0, '', '', 0, 0, 0, '', '' from code_index.staged_runs;
    insert into code_index.staged_edges (brand_id, run_id, position, src, kind, dst)
    select brand_id, run_id, 0, 1, 0, 2 from code_index.staged_runs`,
}

async function addProject({ admin, brand_id, mark }: Scene): Promise<string> {
  const id = randomUUID()
  await admin.query('insert into code_index.projects (brand_id, id, name) values ($1, $2, $3)', [
    brand_id,
    id,
    `P ${mark}`,
  ])
  await admin.query(
    `insert into code_index.repositories (brand_id, project_id, url, branch, credential_kind, credential, generation)
     values ($1, $2, $3, $4, 'password', '\\x00', 1)`,
    [brand_id, id, `https://git.example/${mark}.git`, `B-${mark}`],
  )
  await admin.query(
    `insert into code_index.runs (brand_id, id, project_id, trigger, state, ended_at, skipped, skipped_total)
     values ($1, gen_random_uuid(), $2, 'request', 'done', now(), $3, 1)`,
    [brand_id, id, JSON.stringify([{ path: `S-${mark}`, reason: 'a submodule' }])],
  )
  const places = ['src/engine.ts#Engine', `src/${mark}.ts#F${mark}`]
  const edges = [{ kind: 'import', from: 'src/engine.ts', to: `src/${mark}.ts` }] as const
  const ids = await seedIndex(admin, { brand_id, project_id: id }, places, edges)
  await addTraces({ admin, brand_id, mark }, id, ids.get('src/engine.ts') ?? '')
  return id
}

/** What only runs write: changes of nodes, cached facts, and what a dead run has left behind. */
async function addTraces(
  { admin, brand_id, mark }: Scene,
  project_id: string,
  node_id: string,
): Promise<void> {
  await admin.query(
    `insert into code_index.node_changes (brand_id, project_id, version, nid, change, old_path, old_symbol, path, symbol,
       commit_id)
     select brand_id, project_id, 1, nid, 0, $3, '', path, '', 'c' from code_index.nodes where brand_id = $1 and id = $2`,
    [brand_id, node_id, `old/${mark}.ts`],
  )
  await admin.query(
    `insert into code_index.blob_facts (brand_id, key, extractor, facts, used_on)
     values ($1, $2, '1', $3, '2026-01-01')`,
    [brand_id, `K-${project_id}`, `F-${mark}`],
  )
  await admin.query(
    `insert into code_index.staged_runs (brand_id, run_id, project_id, epoch) values ($1, $2, $2, 1)`,
    [brand_id, project_id],
  )
  await admin.query(
    `insert into code_index.staged_nodes (brand_id, run_id, position, nid, kind, path, symbol, import_degree, call_degree,
       contains_degree, old_path, old_symbol) values ($1, $2, 0, 1, 1, $3, '', 0, 0, 0, '', '')`,
    [brand_id, project_id, `staged/${mark}.ts`],
  )
  await admin.query(
    `insert into code_index.staged_edges (brand_id, run_id, position, src, kind, dst) values ($1, $2, 0, 1, 0, 2)`,
    [brand_id, project_id],
  )
}
