import { anchorText } from '@crewhall/contracts/lessons/anchors.ts'
import { lessonIdOf } from '@crewhall/contracts/lessons/lesson.ts'
import type { IndexedCommit, IndexFollower, NodeChange, ShownIndex } from '#modules/code-index'
import type { BrandTx, OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import { placeOpenAnchors } from '../anchors/anchors.service.ts'
import { updateFollowing } from '../anchors/anchors.store.ts'
import { insertHappenings } from '../history/history.store.ts'
import {
  digestOf,
  type LessonFile,
  largestFile,
  type RefusedFile,
  readLessonFile,
  shownPath,
} from './lesson-file.ts'
import { listDigests } from './lessons.store.ts'
import { lockState, updateSynced, updateVersion } from './states.store.ts'
import { keepOnly, settleLessons, writeLessons } from './write.service.ts'

/** What the files of a commit say. */
interface ReadFiles {
  /** All lessons of which there is a file, also those that are as they were or were refused. */
  readonly slugs: readonly string[]
  /** Those that are new or have changed. */
  readonly files: readonly LessonFile[]
  readonly refused: readonly RefusedFile[]
}

export const mostLessons = 20_000
const batch = 64
const refusedKept = 100

/** Lessons follow their code, and come out of the repository with it, inside the transaction that shows an index. */
export const lessonFollower: IndexFollower = {
  async prepare(ctx, commit) {
    const read = await readFiles(ctx, commit)
    return { nodesChanged, indexShown: (ctx, index) => indexShown(ctx, index, read) }
  },
  nodesChanged,
  indexShown: (ctx, index) => indexShown(ctx, index, undefined),
}

async function readFiles(ctx: OutsideBrandCtx, commit: IndexedCommit): Promise<ReadFiles> {
  const found = (await commit.listFiles('lessons')).filter(({ path }) => isMeant(path))
  const rows = await listDigests(ctx, commit.project_id)
  const known = new Map(rows.flatMap((row) => (row.is_removed ? [] : [[row.slug, row.file_digest] as const])))
  const [files, refused]: [LessonFile[], RefusedFile[]] = [[], []]
  const [slugs, toRead]: [string[], typeof found] = [[], []]
  for (const file of found) {
    const slug = lessonIdOf(file.path)
    const reason = refusalOf(slug, file.bytes, slugs.length)
    if (slug !== undefined && slugs.length < mostLessons) slugs.push(slug)
    if (reason !== undefined) refused.push({ path: shownPath(file.path), reason })
    else if (slug !== undefined && known.get(slug) !== digestOf(file.blob_id)) toRead.push(file)
  }
  for (let at = 0; at < toRead.length; at += batch) {
    const these = toRead.slice(at, at + batch)
    const blobs = await commit.readBlobs(these.map(({ blob_id }) => blob_id))
    for (const [n, { path, blob_id }] of these.entries()) {
      const read = readLessonFile(path, blobs[n] ?? new Uint8Array(), blob_id)
      if ('reason' in read) refused.push(read)
      else files.push(read)
    }
  }
  return { slugs, files, refused }
}

/** Others may lie beside lessons, and a folder may say what it is about. */
const isMeant = (path: string): boolean => path.endsWith('.md') && !/(^|\/)README\.md$/i.test(path)

function refusalOf(slug: string | undefined, bytes: number, before: number): string | undefined {
  if (slug === undefined) return 'the path is not lessons/<area>/<slug>.md'
  if (before >= mostLessons) return `a project has at most ${mostLessons} lessons`
  return bytes > largestFile ? `the file has more than ${largestFile} bytes` : undefined
}

async function nodesChanged(ctx: BrandTx, index: ShownIndex, changes: readonly NodeChange[]): Promise<void> {
  await lockState(ctx, index.project_id, 0)
  const moved = await updateFollowing(ctx, {
    nids: changes.map(({ nid }) => nid),
    paths: changes.map(({ path }) => path),
    symbols: changes.map(({ symbol }) => symbol),
    commits: changes.map(({ change, commit_id }) => (change === 'removed' ? commit_id : null)),
    version: index.version,
  })
  const moves = Map.groupBy(moved, ({ lesson_id }) => lesson_id)
  await insertHappenings(
    ctx,
    [...moves].map(([lesson_id, anchors]) => ({
      lesson_id,
      action: 'moved',
      commit_id: index.commit_id,
      detail: {
        anchors: anchors.map(({ is_folder, old_path, old_symbol, path, symbol }) => ({
          from: anchorText({ path: old_path, symbol: old_symbol, is_folder }),
          to: anchorText({ path, symbol, is_folder }),
        })),
      },
    })),
  )
}

async function indexShown(ctx: BrandTx, index: ShownIndex, read: ReadFiles | undefined): Promise<void> {
  const { project_id, version, commit_id } = index
  await lockState(ctx, project_id, version)
  if (read) {
    const { slugs, files, refused } = read
    await writeLessons(ctx, project_id, files, { origin: 'repository', commit_id })
    await keepOnly(ctx, project_id, slugs, commit_id)
    const kept = JSON.stringify(refused.slice(0, refusedKept))
    const counts = { files: slugs.length, refused: kept, refused_total: refused.length }
    await updateSynced(ctx, { project_id, commit_id, ...counts })
  }
  await placeOpenAnchors(ctx, project_id)
  await settleLessons(ctx, project_id, 'all')
  await updateVersion(ctx, project_id, version)
}
