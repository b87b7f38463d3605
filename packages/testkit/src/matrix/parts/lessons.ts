import { seedLesson } from '../../seeded-lessons.ts'
import { identified, type MatrixPart, type NewWorkspace } from '../part.ts'

export const lessonsPart: MatrixPart = {
  resources: { lesson: { missing: 'matrix/none' }, code_node: identified },
  bodies: {
    'lessons.syncLessons': {
      files: [{ path: 'lessons/matrix/made.md', text: '---\ntype: rule\n---\nMade by the matrix.\n' }],
    },
    'lessons.reAnchorLesson': {},
    'lessons.findNear': { paths: ['src/engine.ts'] },
    'lessons.lookUpAnchors': {},
    'lessons.findSimilar': { text: 'asked by the matrix' },
  },
  queries: {
    'lessons.searchLessons': { anchor: 'src/engine.ts' },
    'lessons.getLesson': { id: 'engine/start-order' },
  },
  // LES-G3, LES-G17: nodes of others are skipped like those that are gone.
  refused_as: { 'lessons.findNear body.node_ids': 200, 'lessons.lookUpAnchors body.node_ids': 200 },
  async rows(workspace: NewWorkspace) {
    const { admin, brand_id, mark } = workspace
    const { rows } = await admin.query<{ project_id: string }>(
      'select project_id from code_index.indexes where brand_id = $1 and version > 0 order by published_at limit 1',
      [brand_id],
    )
    const project_id = rows[0]?.project_id ?? ''
    const lesson = await seedLesson(
      admin,
      { brand_id, project_id },
      { slug: `matrix/${mark}`, body: `L ${mark}`, anchors: ['src/engine.ts#Engine', `old/${mark}.ts`] },
    )
    await admin.query(
      `insert into lessons.vectors (brand_id, lesson_id, model, dimension, text_hash, vector)
       values ($1, $2, 'none', 3, '', '[1,2,3]')`,
      [brand_id, lesson],
    )
    await admin.query(
      `insert into lessons.history (brand_id, lesson_id, n, action, detail) values ($1, $2, 1, 'changed', $3)`,
      [brand_id, lesson, { before: `H ${mark}` }],
    )
    await seedLesson(
      admin,
      { brand_id, project_id },
      { slug: 'engine/start-order', body: `L2 ${mark}`, anchors: ['src/engine.ts'], stale_in: `C-${mark}` },
    )
    await admin.query(
      `update lessons.states set commit_id = 'c', refused_total = 1,
         refused = jsonb_build_array(jsonb_build_object('path', 'lessons/' || $2 || '.md', 'reason', 'R'))
       where brand_id = $1`,
      [brand_id, mark],
    )
    const { rows: nodes } = await admin.query<{ id: string }>(
      `select id from code_index.nodes where brand_id = $1 and project_id = $2 and symbol = 'Engine'`,
      [brand_id, project_id],
    )
    return { lesson: `matrix/${mark}`, code_node: nodes[0]?.id ?? '' }
  },
  tenant_rows: `
    insert into lessons.states (brand_id, project_id)
    select brand_id, id from code_index.projects on conflict do nothing;
    insert into lessons.lessons (brand_id, id, project_id, slug, type, title, body, is_pinned, is_retired, origin, file_digest,
      file_text)
    select brand_id, gen_random_uuid(), project_id, 'tenant/row', 'rule', 'T', 'T', false, false, 'call', '', ''
    from lessons.states;
    insert into lessons.anchors (brand_id, lesson_id, position, project_id, raw_text, path, symbol, is_folder)
    select brand_id, id, 100, project_id, 'tenant', 'tenant', '', false from lessons.lessons;
    insert into lessons.anchor_ups (brand_id, lesson_id, nid, dist, is_pinned, created_at)
    select brand_id, id, 1, 0, false, created_at from lessons.lessons on conflict do nothing;
    insert into lessons.vectors (brand_id, lesson_id, model, dimension, text_hash, vector)
    select brand_id, id, 'none', 1, '', '[1]' from lessons.lessons on conflict do nothing;
    insert into lessons.history (brand_id, lesson_id, n, action)
    select brand_id, id, 100, 'created' from lessons.lessons`,
}
