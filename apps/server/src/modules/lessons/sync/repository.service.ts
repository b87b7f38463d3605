import { anchorText } from '@crewhall/contracts/lessons/anchors.ts'
import { lessonIdOf } from '@crewhall/contracts/lessons/lesson.ts'
import { mostRefused } from '@crewhall/contracts/lessons/sync.ts'
import type { IndexedCommit, IndexFollower, NodeChange, ShownIndex, SimilarSymbol } from '#modules/code-index'
import type { BrandTx, OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import { placeOpenAnchors } from '../anchors/anchors.service.ts'
import { listAnchored, type Suggestion, updateFollowing } from '../anchors/anchors.store.ts'
import { listUnder } from '../anchors/closure.store.ts'
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
import { keepOnly, settleLessons, type Touched, touchedBy, writeLessons } from './write.service.ts'

/** What the files of a commit say. */
interface ReadFiles {
  /** Of all lessons, also those that are as they were or were refused. */
  readonly total: number
  /** Lessons that came by a call, and have a file now. */
  readonly adopted: readonly string[]
  /** Lessons that had a file, and have none any more. */
  readonly gone: readonly string[]
  /** Those that are new or have changed. */
  readonly files: readonly LessonFile[]
  readonly refused: readonly RefusedFile[]
}

export const mostLessons = 20_000
const batch = 64
const nodePage = 1000

/** Lessons follow their code, and come out of the repository with it, inside the transaction that shows an index. */
export const lessonFollower: IndexFollower = {
  prepare: async (ctx, commit) => followerOf(await readFiles(ctx, commit), await suggested(ctx, commit)),
  ...followerOf(undefined),
}

function followerOf(read: ReadFiles | undefined, suggestions: Suggestions = new Map()): IndexFollower {
  // When the transaction runs again it is told again, so what is left of an attempt does no harm.
  const touched = new Set<string>()
  return {
    async nodesChanged(ctx, index, changes) {
      for (const id of await follow(ctx, index, changes, suggestions)) touched.add(id)
    },
    async indexShown(ctx, index) {
      await show(ctx, index, read, touched)
      touched.clear()
    },
  }
}

/** By the node that is gone. */
type Suggestions = ReadonlyMap<number, readonly Suggestion[]>

/** Only for nodes that lessons stand on: bodies are read for few of what an index takes out. */
async function suggested(ctx: OutsideBrandCtx, commit: IndexedCommit): Promise<Suggestions> {
  const nids: number[] = []
  for (let at = 0; at < commit.removed.length; at += nodePage)
    nids.push(...(await listAnchored(ctx, commit.removed.slice(at, at + nodePage))))
  const found = nids.length > 0 ? await commit.listSimilar(nids) : new Map()
  return new Map(
    [...found].map(([nid, alike]) => [
      nid,
      alike.map(({ path, symbol, similarity }: SimilarSymbol) => ({
        anchor: anchorText({ path, symbol, is_folder: false }),
        similarity,
      })),
    ]),
  )
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
  const kept = new Set(slugs)
  const having = (origin: 'repository' | 'call', isKept: boolean) =>
    rows.flatMap((row) =>
      row.origin === origin && kept.has(row.slug) === isKept && !row.is_removed ? [row.slug] : [],
    )
  return {
    total: slugs.length,
    adopted: having('call', true),
    gone: having('repository', false),
    files,
    refused,
  }
}

/** Others may lie beside lessons, and a folder may say what it is about. */
const isMeant = (path: string): boolean => path.endsWith('.md') && !/(^|\/)README\.md$/i.test(path)

function refusalOf(slug: string | undefined, bytes: number, before: number): string | undefined {
  if (slug === undefined) return 'the path is not lessons/<area>/<slug>.md'
  if (before >= mostLessons) return `a project has at most ${mostLessons} lessons`
  return bytes > largestFile ? `the file has more than ${largestFile} bytes` : undefined
}

/** Returns the lessons that this touches: on these nodes, or below one that is in another parent now. */
async function follow(
  ctx: BrandTx,
  index: ShownIndex,
  changes: readonly NodeChange[],
  suggestions: Suggestions,
): Promise<string[]> {
  await lockState(ctx, index.project_id, 0)
  const followed = await updateFollowing(ctx, {
    nids: changes.map(({ nid }) => nid),
    paths: changes.map(({ path }) => path),
    symbols: changes.map(({ symbol }) => symbol),
    commits: changes.map(({ change, commit_id }) => (change === 'removed' ? commit_id : null)),
    steps: changes.map(({ removed_step }) => removed_step),
    suggestions: changes.map(({ nid, change }) =>
      JSON.stringify((change === 'removed' && suggestions.get(nid)) || []),
    ),
    version: index.version,
  })
  const moved = followed.filter(
    ({ path, symbol, old_path, old_symbol }) => path !== old_path || symbol !== old_symbol,
  )
  await insertHappenings(
    ctx,
    [...Map.groupBy(moved, ({ lesson_id }) => lesson_id)].map(([lesson_id, anchors]) => ({
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
  const elsewhere = changes.flatMap(({ nid, change }) => (change === 'removed' ? [] : [nid]))
  const under = elsewhere.length > 0 ? await listUnder(ctx, elsewhere) : []
  return [...under, ...followed.map(({ lesson_id }) => lesson_id)]
}

async function show(
  ctx: BrandTx,
  index: ShownIndex,
  read: ReadFiles | undefined,
  followed: ReadonlySet<string>,
): Promise<void> {
  const { project_id, version } = index
  await lockState(ctx, project_id, version)
  const written = read ? await writeFiles(ctx, index, read) : []
  const placed = await placeOpenAnchors(ctx, project_id)
  await settleLessons(ctx, project_id, {
    ids: [...followed, ...placed, ...written.flatMap(({ ids }) => [...ids])],
    slugs: written.flatMap(({ slugs }) => [...slugs]),
  })
  await updateVersion(ctx, project_id, version)
}

async function writeFiles(
  ctx: BrandTx,
  { project_id, commit_id }: ShownIndex,
  { total, adopted, gone, files, refused }: ReadFiles,
): Promise<Touched[]> {
  const written = await writeLessons(ctx, project_id, files, { origin: 'repository', commit_id })
  const removed = await keepOnly(ctx, project_id, { adopted, gone }, commit_id)
  const kept = JSON.stringify(refused.slice(0, mostRefused))
  const counts = { files: total, refused: kept, refused_total: refused.length }
  await updateSynced(ctx, { project_id, commit_id, ...counts })
  return [touchedBy(written), removed]
}
