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
  /** Others whose state it decides on, or did before. */
  readonly supersedes: readonly string[]
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
  const written = files.map(({ slug, digest, supersedes }): WrittenLesson => {
    const row = known.get(slug)
    if (!row) return { id: ids.get(slug) ?? '', slug, outcome: 'created', supersedes }
    const isSame = row.file_digest === digest && row.status !== 'removed'
    const both = [...row.supersedes, ...supersedes]
    return { id: row.id, slug, outcome: isSame ? 'unchanged' : 'changed', supersedes: both }
  })
  const fresh = files.flatMap((file, at) => {
    const lesson = written[at]
    return lesson && lesson.outcome !== 'unchanged'
      ? [{ ...file, id: lesson.id, outcome: lesson.outcome }]
      : []
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

/** What has to be settled. */
export interface Touched {
  /** Lessons whose file, anchors or code may be another. */
  readonly ids: Iterable<string>
  /** Slugs of lessons whose state may be another: their own file or one that supersedes them has changed. */
  readonly slugs: Iterable<string>
}

/** By lessons that were written. */
export function touchedBy(written: readonly WrittenLesson[]): Touched {
  const changed = written.filter(({ outcome }) => outcome !== 'unchanged')
  return { ids: idsOf(changed), slugs: changed.flatMap(({ slug, supersedes }) => [slug, ...supersedes]) }
}

/** These lessons belong to the repository, and those are no longer there. */
export async function keepOnly(
  ctx: BrandTx,
  project_id: string,
  { adopted, gone }: { readonly adopted: readonly string[]; readonly gone: readonly string[] },
  commit_id: string,
): Promise<Touched> {
  if (adopted.length > 0) await store.updateOrigin(ctx, project_id, adopted)
  const removed = gone.length > 0 ? await store.updateRemoved(ctx, project_id, gone) : []
  await insertHappenings(
    ctx,
    removed.map(({ id }) => ({ lesson_id: id, action: 'removed', commit_id })),
  )
  return { ids: idsOf(removed), slugs: removed.flatMap(({ supersedes }) => supersedes) }
}

/** After lessons or anchors have changed: states, stale flags and the closure of what that touches, and of nothing else. */
export async function settleLessons(ctx: BrandTx, project_id: string, touched: Touched): Promise<void> {
  const [ids, slugs] = [new Set(touched.ids), [...new Set(touched.slugs)]]
  const turned = slugs.length > 0 ? await store.updateStatuses(ctx, project_id, slugs) : []
  for (const these of pagesOf([...ids])) await settleStale(ctx, these)
  for (const { id } of turned) ids.add(id)
  await refreshClosure(ctx, [...ids])
}

async function settleStale(ctx: BrandTx, ids: readonly string[]): Promise<void> {
  const stale = await updateStale(ctx, ids)
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
}

function* pagesOf(ids: readonly string[]): Generator<readonly string[]> {
  const length = 1000
  for (let at = 0; at < ids.length; at += length) yield ids.slice(at, at + length)
}
