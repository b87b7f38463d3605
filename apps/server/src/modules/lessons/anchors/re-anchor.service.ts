import { anchorText } from '@crewhall/contracts/lessons/anchors.ts'
import { lessonPath } from '@crewhall/contracts/lessons/lesson.ts'
import type { CorrectedFile } from '@crewhall/contracts/lessons/re-anchor.ts'
import { lessonNotFound } from '@crewhall/contracts/lessons/refusals.ts'
import { getProject, resolvePaths } from '#modules/code-index'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { withAnchors } from '../sync/lesson-file.ts'
import { type AnchorRow, listAnchors } from './anchors.store.ts'
import { findFile } from './re-anchor.store.ts'

interface Asked {
  readonly id: string
  readonly anchors?: readonly string[] | undefined
}

/** The file with corrected anchors, for its owner to commit: only a sync changes a lesson (LES-G2). */
export const getCorrectedFile = (ctx: BrandCtx, project_id: string, asked: Asked): Promise<CorrectedFile> =>
  ctx.snapshot(async (ctx) => {
    await getProject(ctx, project_id)
    const file = await findFile(ctx, project_id, asked.id)
    if (!file) throw lessonNotFound()
    const anchors = await listAnchors(ctx, [file.id])
    const alive = await stillThere(ctx, project_id, anchors)
    const before = anchors.map(({ raw_text }) => raw_text)
    const after = [...new Set(asked.anchors ?? anchors.map(anchorText))]
    const isSame = before.length === after.length && before.every((text, at) => text === after[at])
    return {
      id: asked.id,
      path: lessonPath(asked.id),
      text: isSame ? file.file_text : withAnchors(file.file_text, after),
      is_changed: !isSame,
      anchors: anchors.map((row) => ({
        anchor: row.raw_text,
        now: anchorText(row),
        state: stateOf(row),
        removed_in: row.removed_in,
        suggestions: row.suggestions.filter(({ anchor }) => alive.has(anchor)),
      })),
    }
  })

/** What was suggested may be gone as well by now. */
async function stillThere(ctx: BrandCtx, project_id: string, anchors: readonly AnchorRow[]) {
  const texts = anchors.flatMap(({ suggestions }) => suggestions.map(({ anchor }) => anchor))
  const found = texts.length > 0 ? await resolvePaths(ctx, project_id, texts) : []
  return new Set(texts.filter((_, at) => found[at] !== undefined))
}

const stateOf = ({ nid, removed_in }: AnchorRow) =>
  nid === null ? 'not_found' : removed_in === null ? 'live' : 'removed'
