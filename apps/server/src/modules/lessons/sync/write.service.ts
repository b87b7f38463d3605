import { randomUUIDv7 } from 'node:crypto'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import { refreshClosure, writeAnchors } from '../anchors/anchors.service.ts'
import { type Happening, insertHappenings } from '../history/history.store.ts'
import { updateStale } from '../staleness/staleness.store.ts'
import type { LessonFile } from './lesson-file.ts'
import * as store from './lessons.store.ts'

export type Outcome = 'created' | 'changed' | 'unchanged'
export interface WrittenLesson {
  readonly id: string
  readonly slug: string
  readonly outcome: Outcome
}
interface Source {
  readonly origin: 'repository' | 'call'
  readonly commit_id: string | null
}

/** Rows of one statement: each has the whole text of a file. */
const page = 200

/** Writes lessons as their files say, in the order of the files. Their states and closure are settled afterwards. */
export async function writeLessons(
  ctx: BrandTx,
  project_id: string,
  files: readonly LessonFile[],
  source: Source,
): Promise<WrittenLesson[]> {
  const rows = await store.listKnown(
    ctx,
    project_id,
    files.map(({ slug }) => slug),
  )
  const known = new Map(rows.map((row) => [row.slug, row]))
  const ids = idsBySlug(files.map(({ slug }) => slug).filter((slug) => !known.has(slug)))
  const written = files.map(({ slug, digest }): WrittenLesson => {
    const row = known.get(slug)
    if (!row) return { id: ids.get(slug) ?? '', slug, outcome: 'created' }
    const isSame = row.file_digest === digest && row.status !== 'removed'
    return { id: row.id, slug, outcome: isSame ? 'unchanged' : 'changed' }
  })
  const fresh = files.flatMap((file, at) => {
    const lesson = written[at]
    return lesson && lesson.outcome !== 'unchanged' ? [{ ...file, ...lesson }] : []
  })
  for (let at = 0; at < fresh.length; at += page) {
    const these = fresh.slice(at, at + page)
    await store.insertLessons(ctx, { project_id, origin: source.origin, ...columnsOf(these) })
    await writeAnchors(ctx, project_id, these)
  }
  await insertHappenings(
    ctx,
    fresh.map(({ id, outcome }) => ({
      lesson_id: id,
      action: outcome as 'created' | 'changed',
      commit_id: source.commit_id,
    })),
  )
  return written
}

const idsOf = (lessons: readonly { readonly id: string }[]) => lessons.map(({ id }) => id)

/** Ascending with the slug: lessons of one sync have one time, and their order is that of their ids. */
function idsBySlug(slugs: readonly string[]): Map<string, string> {
  const ids = slugs.map(() => randomUUIDv7()).sort()
  return new Map([...slugs].sort().map((slug, at) => [slug, ids[at] ?? '']))
}

const columnsOf = (files: readonly (LessonFile & { readonly id: string })[]) => ({
  ids: idsOf(files),
  slugs: files.map(({ slug }) => slug),
  types: files.map(({ type }) => type),
  titles: files.map(({ title }) => title),
  bodies: files.map(({ body }) => body),
  pinned: files.map(({ is_pinned }) => is_pinned),
  authors: files.map(({ author }) => author),
  cards: files.map(({ card_ref }) => card_ref),
  superseded: files.map(({ supersedes }) => JSON.stringify(supersedes)),
  retired: files.map(({ is_retired }) => is_retired),
  digests: files.map(({ digest }) => digest),
  texts: files.map(({ text }) => text),
})

/** Lessons of these files belong to the repository, and its others are no longer there. */
export async function keepOnly(
  ctx: BrandTx,
  project_id: string,
  slugs: readonly string[],
  commit_id: string,
): Promise<void> {
  await store.updateOrigin(ctx, project_id, slugs)
  const removed = await store.updateRemoved(ctx, project_id, slugs)
  await insertHappenings(
    ctx,
    removed.map(({ id }) => ({ lesson_id: id, action: 'removed', commit_id })),
  )
}

/** After lessons or anchors have changed: the states of all, and the closure of these and of those whose state is another. */
export async function settleLessons(
  ctx: BrandTx,
  project_id: string,
  written: readonly string[] | 'all',
): Promise<void> {
  const turned = await store.updateStatuses(ctx, project_id)
  const stale = await updateStale(ctx, project_id)
  await insertHappenings(
    ctx,
    stale.map(
      ({ id, stale_in, was_stale_in }): Happening => ({
        lesson_id: id,
        action: stale_in === null ? 'revived' : 'stale',
        commit_id: stale_in ?? was_stale_in,
      }),
    ),
  )
  if (written !== 'all') await refreshClosure(ctx, [...new Set([...written, ...idsOf(turned)])])
  else for await (const ids of pagesOfIds(ctx, project_id)) await refreshClosure(ctx, ids)
}

async function* pagesOfIds(ctx: BrandTx, project_id: string): AsyncGenerator<string[]> {
  const limit = 1000
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const ids = idsOf(await store.listIdsAfter(ctx, project_id, after, limit))
    if (ids.length > 0) yield ids
    if (ids.length < limit) return
    after = ids.at(-1) ?? after
  }
}
