import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { deletingRows } from '#platform/db/brand-rows.ts'

const rows = [
  deletingRows('lessons.history', 'lesson_id', 'n'),
  deletingRows('lessons.vector_queue', 'lesson_id'),
  deletingRows('lessons.vectors', 'lesson_id'),
  deletingRows('lessons.anchor_ups', 'lesson_id', 'nid'),
  deletingRows('lessons.anchors', 'lesson_id', 'position'),
  deletingRows('lessons.lessons', 'id'),
  deletingRows('lessons.states', 'project_id'),
]

/** In dependency order; each deletes at most `limit` rows. */
export const deletingLessons = rows.map(
  (each) => (ctx: BrandCtx, limit: number) => ctx.db.run(each, { limit }),
)
