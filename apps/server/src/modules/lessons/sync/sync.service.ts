import type { LessonSync, LessonSyncState, SyncedFile } from '@crewhall/contracts/lessons/sync.ts'
import { getProject, indexVersion } from '#modules/code-index'
import type { BrandCtx, OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { TextVectors } from '#platform/embeddings/text-vectors.ts'
import { checkDuplicates, embedForCheck } from '../duplicates/duplicates.service.ts'
import { blobIdOf, type LessonFile, type RefusedFile, readLessonFile } from './lesson-file.ts'
import { countLessons, listKnown } from './lessons.store.ts'
import { mostLessons } from './repository.service.ts'
import { findState, lockState } from './states.store.ts'
import { settleLessons, touchedBy, type WrittenLesson, writeLessons } from './write.service.ts'

interface GivenFile {
  readonly path: string
  readonly text: string
}
/** Files as they were read, and vectors of those that will be compared. */
export interface PreparedSync {
  readonly read: readonly (LessonFile | RefusedFile)[]
  readonly vectors: ReadonlyMap<string, string> | undefined
}

/** Reads the files and asks the model, all before the transaction. */
export async function prepareSync(
  ctx: OutsideBrandCtx,
  vectors: TextVectors,
  project_id: string,
  files: readonly GivenFile[],
): Promise<PreparedSync> {
  await getProject(ctx, project_id)
  const read = readGiven(files)
  const good = lessonsIn(read)
  const known = await listKnown(
    ctx,
    project_id,
    good.map(({ slug }) => slug),
  )
  const same = new Set(known.filter(({ status }) => status !== 'removed').map(keyOf))
  const fresh = good.filter(({ slug, digest }) => !same.has(keyOf({ slug, file_digest: digest })))
  return { read, vectors: await embedForCheck(ctx, vectors, fresh) }
}

const keyOf = ({ slug, file_digest }: { slug: string; file_digest: string }) => `${slug} ${file_digest}`
const lessonsIn = (read: readonly (LessonFile | RefusedFile)[]) =>
  read.flatMap((each) => ('slug' in each ? [each] : []))

function readGiven(files: readonly GivenFile[]): (LessonFile | RefusedFile)[] {
  const seen = new Set<string>()
  return files.map(({ path, text }) => {
    if (seen.has(path)) return { path, reason: 'the path is in this call more than once' }
    seen.add(path)
    const bytes = new TextEncoder().encode(text)
    return readLessonFile(path, bytes, blobIdOf(bytes))
  })
}

export const syncLessons = (
  ctx: BrandCtx,
  vectors: TextVectors,
  project_id: string,
  files: readonly GivenFile[],
  prepared: PreparedSync,
): Promise<LessonSync> =>
  ctx.tx(async (ctx) => {
    await getProject(ctx, project_id)
    await lockState(ctx, project_id, await indexVersion(ctx, project_id))
    const good = await fitting(ctx, project_id, lessonsIn(prepared.read))
    const bodies = new Map(good.map(({ slug, body }) => [slug, body]))
    const lessons = await writeLessons(ctx, project_id, good, { origin: 'call', commit_id: null })
    const written = lessons.filter(({ outcome }) => outcome !== 'unchanged')
    await settleLessons(ctx, project_id, touchedBy(written))
    const checked = written.map(({ id, slug }) => ({ id, slug, body: bodies.get(slug) ?? '' }))
    const { found, outcome } = await checkDuplicates(ctx, vectors, checked, prepared.vectors)
    const bySlug = new Map(lessons.map((each) => [each.slug, each]))
    const synced = files.map(({ path }, at) => presented(path, prepared.read[at], bySlug, found))
    return { files: synced, ...countsOf(synced), duplicate_check: outcome }
  })

/** Of the last index; calls leave no trace in it. */
export async function getSyncState(ctx: BrandCtx, project_id: string): Promise<LessonSyncState> {
  await getProject(ctx, project_id)
  const none = { commit: null, synced_at: null, files: 0, refused_total: 0, refused: [] }
  return (await findState(ctx, project_id)) ?? none
}

/** Without new ones beyond what a project may have. */
async function fitting(
  ctx: BrandCtx,
  project_id: string,
  files: readonly LessonFile[],
): Promise<LessonFile[]> {
  const slugs = files.map(({ slug }) => slug)
  const known = new Set((await listKnown(ctx, project_id, slugs)).map(({ slug }) => slug))
  const room = mostLessons - (await countLessons(ctx, project_id))
  const isNew = (file: LessonFile) => !known.has(file.slug)
  const refused = new Set(files.filter(isNew).slice(Math.max(room, 0)))
  return files.filter((file) => !refused.has(file))
}

function presented(
  path: string,
  read: LessonFile | RefusedFile | undefined,
  lessons: ReadonlyMap<string, WrittenLesson>,
  found: ReadonlyMap<string, NonNullable<SyncedFile['possible_duplicate_of']>>,
): SyncedFile {
  const lesson = read && 'slug' in read ? lessons.get(read.slug) : undefined
  if (!lesson) {
    const reason = read && 'reason' in read ? read.reason : `a project has at most ${mostLessons} lessons`
    return { path, id: null, outcome: 'refused', reason }
  }
  const { slug: id, outcome } = lesson
  const possible_duplicate_of = found.get(id)
  return { path, id, outcome, reason: null, ...(possible_duplicate_of ? { possible_duplicate_of } : {}) }
}

function countsOf(files: readonly SyncedFile[]) {
  const of = (outcome: SyncedFile['outcome']) => files.filter((file) => file.outcome === outcome).length
  return {
    created: of('created'),
    changed: of('changed'),
    unchanged: of('unchanged'),
    refused: of('refused'),
  }
}
