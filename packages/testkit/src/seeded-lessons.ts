import { createHash, randomUUID } from 'node:crypto'
import type pg from 'pg'

export interface SeededLesson {
  /** `<area>/<slug>`. */
  readonly slug: string
  /** Texts such as `src/a.ts#Store` or `src/`; those that name live code of the index stand on it. */
  readonly anchors?: readonly string[]
  readonly type?: string
  readonly body?: string
  readonly pinned?: boolean
  readonly status?: 'live' | 'retired' | 'superseded' | 'removed'
  readonly stale_in?: string
  readonly created_at?: string
}

/** Writes a lesson past the API, with anchors on the nodes of a seeded index and everything above them. Returns its id inside. */
export async function seedLesson(
  admin: pg.Client,
  { brand_id, project_id }: { readonly brand_id: number; readonly project_id: string },
  lesson: SeededLesson,
): Promise<string> {
  const { slug, anchors = [], type = 'rule', body = `Body of ${slug}.`, pinned = false } = lesson
  const { status = 'live', stale_in = null, created_at = null } = lesson
  const id = randomUUID()
  await admin.query(
    `insert into lessons.states (brand_id, project_id, index_version)
     select $1, $2, coalesce((select version from code_index.indexes where brand_id = $1 and project_id = $2), 0)
     on conflict (brand_id, project_id) do update set index_version = excluded.index_version`,
    [brand_id, project_id],
  )
  const list = anchors.map((anchor) => `  - ${JSON.stringify(anchor)}\n`).join('')
  const fileText = `---\ntype: ${type}\n${list ? `anchors:\n${list}` : ''}---\n${body}\n`
  const digest = createHash('sha1').update(slug).digest('hex')
  await admin.query(
    `insert into lessons.lessons (brand_id, id, project_id, slug, type, title, body, is_pinned, is_retired, status, stale_in,
       origin, file_digest, file_text, created_at)
     values ($1, $2, $3, $4, $5, $4, $6, $7, $8 = 'retired', $8, $9, 'repository', $10, $12,
       coalesce($11::timestamptz, platform.now()))`,
    [
      ...[brand_id, id, project_id, slug, type, body, pinned, status, stale_in],
      `1:${digest}`,
      created_at,
      fileText,
    ],
  )
  for (const [position, text] of anchors.entries()) {
    const isFolder = text.endsWith('/')
    const [path = '', symbol = ''] = isFolder ? [text.slice(0, -1)] : text.split('#')
    await admin.query(
      `insert into lessons.anchors (brand_id, lesson_id, position, project_id, raw_text, path, symbol, is_folder, nid)
       values ($1, $2, $3, $4, $5, $6, $7, $8, (
         select nid from code_index.nodes where brand_id = $1 and project_id = $4 and path = $6 and symbol = $7 and is_live
           and (kind = 0) = $8))`,
      [brand_id, id, position, project_id, text, path, symbol, isFolder],
    )
  }
  await admin.query(
    `insert into lessons.anchor_ups (brand_id, lesson_id, nid, dist, is_pinned, created_at)
     select l.brand_id, l.id, u.nid, u.dist, l.is_pinned, l.created_at
     from lessons.lessons l cross join lateral lessons.true_ups(l.brand_id, l.id) u where l.brand_id = $1 and l.id = $2`,
    [brand_id, id],
  )
  return id
}
