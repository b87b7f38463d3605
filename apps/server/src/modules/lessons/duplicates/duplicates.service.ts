import { setTimeout } from 'node:timers/promises'
import { lessonPath } from '@crewhall/contracts/lessons/lesson.ts'
import {
  type LessonSync,
  leastLikeness,
  mostChecked,
  mostCompared,
  mostDuplicates,
  type SyncedFile,
} from '@crewhall/contracts/lessons/sync.ts'
import type { BrandTx, OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { TextVectors } from '#platform/embeddings/text-vectors.ts'
import type { LessonFile } from '../sync/lesson-file.ts'
import { textHash } from '../vectors/text-hash.ts'
import { insertVectorsOf } from '../vectors/vectors.store.ts'
import { listAlike } from './duplicates.store.ts'

/** A write waits no longer for the vectors of its lessons; they are made in the background anyway. */
const limitMs = 15_000

/** Vectors of the lessons that will be compared, by slug; undefined when there are none in time. */
export async function embedForCheck(
  ctx: OutsideBrandCtx,
  vectors: TextVectors,
  files: readonly LessonFile[],
): Promise<ReadonlyMap<string, string> | undefined> {
  if (files.length > mostChecked) return new Map()
  const these = files.slice(0, mostCompared)
  if (these.length === 0) return new Map()
  if (!vectors.is_on) return undefined
  const texts = these.map(({ body }) => body)
  const over = new AbortController()
  try {
    const made = vectors.embed(ctx, texts, { kind: 'document', owner: String(ctx.brandId) })
    made.catch(() => {})
    const late = setTimeout(limitMs, undefined, { signal: over.signal, ref: false })
    const found = await Promise.race([made, late])
    return found && new Map(these.map(({ slug }, at) => [slug, found[at] ?? '']))
  } catch (error) {
    // The check never stops a write, whatever is wrong with it (LES-80).
    ctx.log.warn({ error }, 'lessons are written without a check for duplicates')
    return undefined
  } finally {
    over.abort()
  }
}

interface Checked {
  readonly id: string
  readonly slug: string
  readonly body: string
}
type Duplicates = NonNullable<SyncedFile['possible_duplicate_of']>

/** Stores the vectors that were made, and compares each with those of all other lessons of the workspace. */
export async function checkDuplicates(
  ctx: BrandTx,
  { model, dimension }: TextVectors,
  written: readonly Checked[],
  made: ReadonlyMap<string, string> | undefined,
): Promise<{ found: ReadonlyMap<string, Duplicates>; outcome: LessonSync['duplicate_check'] }> {
  const outcome = written.length > mostCompared ? 'truncated' : made ? 'complete' : 'unavailable'
  const compared = written.length > mostChecked ? [] : written.slice(0, mostCompared)
  const these = compared.flatMap((each) => {
    const vector = made?.get(each.slug)
    return vector === undefined ? [] : [{ ...each, vector }]
  })
  if (these.length === 0) return { found: new Map(), outcome }
  const ids = these.map(({ id }) => id)
  const vectors = these.map(({ vector }) => vector)
  await insertVectorsOf(ctx, {
    ids,
    vectors,
    hashes: these.map(({ body }) => textHash(body)),
    model,
    dimension,
  })
  const alike = await listAlike(ctx, {
    ids,
    vectors,
    model,
    dimension,
    least: leastLikeness,
    most: mostDuplicates,
  })
  const of = Map.groupBy(alike, ({ of_id }) => of_id)
  const found = these.map(
    ({ id, slug }) =>
      [
        slug,
        (of.get(id) ?? []).map(({ slug, similarity }) => ({ id: slug, path: lessonPath(slug), similarity })),
      ] as const,
  )
  return { found: new Map(found), outcome }
}
