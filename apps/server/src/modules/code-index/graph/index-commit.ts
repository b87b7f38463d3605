import { ExtractPool, type PoolLimits, poolDefaults } from '../extraction/extract-pool.ts'
import { type FileFacts, noFacts, parserFailed } from '../extraction/facts.rules.ts'
import { type Language, languageOf } from '../extraction/languages.rules.ts'
import { buildGraph } from './build-graph.ts'
import { BlobReader, listTree, type TreeEntry } from './git-objects.ts'
import type { CodeGraph, SkippedFile } from './graph.rules.ts'
import type { IndexStage } from './index-messages.rules.ts'

/** Facts of blobs that were read before. A key names blob and language; values are JSON. */
export interface FactsCache {
  get(keys: readonly string[]): Promise<ReadonlyMap<string, string>>
  put(entries: readonly (readonly [string, string])[]): Promise<void>
}

export interface IndexOrder {
  /** A bare clone. */
  readonly git_dir: string
  readonly commit: string
  readonly cache: FactsCache
  readonly pool?: PoolLimits
  readonly onProgress?: (stage: IndexStage, done: number, total: number) => void
  readonly signal?: AbortSignal
}

const batchSize = 64
const largestFile = 1_000_000
const deepestPath = 200
const mostFiles = 400_000
const cachePage = 512

interface Source {
  readonly path: string
  readonly oid: string
  readonly language: Language
  readonly key: string
}

/** The graph of one commit. Blobs whose facts are cached are not read. */
export async function indexCommit(order: IndexOrder): Promise<CodeGraph> {
  const pool = new ExtractPool(order.pool)
  try {
    pool.warm()
    return await graphOf(order, pool)
  } finally {
    await pool.close()
  }
}

async function graphOf(order: IndexOrder, pool: ExtractPool): Promise<CodeGraph> {
  const { git_dir, commit, cache, signal } = order
  const progress = order.onProgress ?? (() => {})
  progress('list', 0, 1)
  const tree = await listTree(git_dir, commit, signal)
  if (tree.length > mostFiles)
    throw new Error(`the repository has ${tree.length} files; at most ${mostFiles} are indexed`)
  const { paths, sources, skipped } = sorted(tree)
  progress('list', 1, 1)
  const read = await readFacts(sources, {
    git_dir,
    cache,
    signal,
    pool,
    most_batches: (order.pool ?? poolDefaults).threads + 1,
    onDone: (done) => progress('extract', done, sources.length),
  })
  signal?.throwIfAborted()
  const facts = new Map<string, FileFacts>()
  for (const { path, key } of sources) {
    const found = read.get(key)
    if (found) facts.set(path, found)
  }
  let resolved = 0
  progress('resolve', 0, facts.size)
  const graph = buildGraph(paths, facts, skipped, () => {
    resolved += 1
    if (resolved % 500 === 0) progress('resolve', resolved, facts.size)
  })
  progress('resolve', facts.size, facts.size)
  return graph
}

function sorted(tree: readonly TreeEntry[]): { paths: string[]; sources: Source[]; skipped: SkippedFile[] } {
  const paths: string[] = []
  const sources: Source[] = []
  const skipped: SkippedFile[] = []
  for (const { path, shown, kind, oid, size } of tree) {
    const fault = faultOf(path, kind)
    if (path === undefined || fault !== undefined) {
      skipped.push({ path: shown, reason: fault ?? '' })
      continue
    }
    paths.push(path)
    const language = kind === 'file' ? languageOf(path) : undefined
    if (language === undefined) continue
    if (size > largestFile) skipped.push({ path, reason: 'larger than 1 MB' })
    else sources.push({ path, oid, language, key: `${oid}.${language}` })
  }
  return { paths, sources, skipped }
}

/** Why an entry is no node. Names with control characters have no honest use, and lists of paths would show them. */
function faultOf(path: string | undefined, kind: TreeEntry['kind']): string | undefined {
  if (path === undefined) return 'the name is not UTF-8'
  if (kind === 'submodule') return 'a submodule'
  if (path.split('/').length > deepestPath) return 'in too many folders'
  return /\p{Cc}/u.test(path) ? 'control characters in the name' : undefined
}

interface Reading {
  readonly git_dir: string
  readonly cache: FactsCache
  readonly signal: AbortSignal | undefined
  readonly pool: ExtractPool
  readonly most_batches: number
  readonly onDone: (done: number) => void
}

/** Facts by key, from the cache or from the blobs. */
async function readFacts(sources: readonly Source[], reading: Reading): Promise<Map<string, FileFacts>> {
  const facts = new Map<string, FileFacts>()
  const byKey = new Map(sources.map((source) => [source.key, source]))
  const missing: Source[] = []
  const asked = pages([...byKey.values()], cachePage)
  const ask = () => {
    const { value: page } = asked.next()
    if (!page) return undefined
    const coming = reading.cache.get(page.map(({ key }) => key))
    // Who has stopped meanwhile does not wait for it.
    coming.catch(() => {})
    return { page, coming }
  }
  // The database finds the next page while the facts of this one are read.
  for (let at = ask(); at; ) {
    reading.signal?.throwIfAborted()
    const { page, coming } = at
    const known = await coming
    at = ask()
    for (const source of page) {
      const text = known.get(source.key)
      if (text === undefined) missing.push(source)
      else facts.set(source.key, JSON.parse(text))
    }
  }
  const counts = new Map<string, number>()
  for (const { key } of sources) counts.set(key, (counts.get(key) ?? 0) + 1)
  let done = sources.length - missing.reduce((sum, { key }) => sum + (counts.get(key) ?? 0), 0)
  reading.onDone(done)
  await extractMissing(missing, reading, (source, text) => {
    facts.set(source.key, JSON.parse(text))
    done += counts.get(source.key) ?? 0
    reading.onDone(done)
  })
  return facts
}

async function extractMissing(
  missing: readonly Source[],
  { git_dir, cache, signal, pool, most_batches }: Reading,
  onFacts: (source: Source, text: string) => void,
): Promise<void> {
  if (missing.length === 0) return
  const blobs = new BlobReader(git_dir)
  const running = new Set<Promise<void>>()
  const work = async (batch: readonly Source[], contents: readonly (Buffer | undefined)[]) => {
    const order = batch.map(({ language }, at) => ({ language, bytes: contents[at] ?? new Uint8Array() }))
    const texts = await pool.extract(order)
    signal?.throwIfAborted()
    const entries = batch.map((source, at) => [source.key, texts[at] ?? ''] as const)
    await cache.put(entries.filter(([, text], at) => contents[at] && !isPassing(text)))
    for (const [at, source] of batch.entries())
      onFacts(source, contents[at] ? (texts[at] ?? '') : missingBlob)
  }
  try {
    for (const batch of pages(missing, batchSize)) {
      signal?.throwIfAborted()
      const contents = await blobs.read(batch.map(({ oid }) => oid))
      const job = work(batch, contents)
      running.add(job)
      job.then(
        () => running.delete(job),
        () => {},
      )
      if (running.size >= most_batches) await Promise.race(running)
    }
    await Promise.all(running)
  } finally {
    blobs.close()
  }
}

const missingBlob = JSON.stringify({ ...noFacts, skipped: 'the blob is missing' } satisfies FileFacts)

/** Not kept: the next run tries again. All else that is skipped is skipped by what the blob holds, so it stays so. */
const isPassing = (text: string): boolean => text.endsWith(`"skipped":${JSON.stringify(parserFailed)}}`)

function* pages<T>(all: readonly T[], size: number): Generator<readonly T[], undefined> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size)
  return undefined
}
