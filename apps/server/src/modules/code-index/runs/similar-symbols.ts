import type { FileFacts } from '../extraction/facts.rules.ts'
import { languageOf } from '../extraction/languages.rules.ts'
import { BlobReader, GitFault, listTree } from '../graph/git-objects.ts'
import type { FactsCache } from '../graph/index-commit.ts'
import { mostAlike, pairsOf, type WordPairs } from '../identity/likeness.rules.ts'
import type { SimilarSymbol } from '../publication/index-followers.ports.ts'
import type { Plan } from '../publication/plan.rules.ts'

/** Two commits, and what is different between them. */
export interface Compared {
  readonly git_dir: string
  /** The commit that was indexed before; null for the first one. */
  readonly before: string | null
  readonly commit: string
  readonly plan: Pick<Plan, 'removed' | 'created'>
  readonly cache: Pick<FactsCache, 'get'>
  readonly signal: AbortSignal
}

const least = 0.6
const mostSuggested = 3
/** Files that are looked through for symbols that are like one that is gone. */
const mostFiles = 400
const largestBytes = 1_000_000
const batch = 64

/** New symbols whose bodies are similar to those of symbols that are gone. Whatever cannot be read has none. */
export async function similarSymbols(
  compared: Compared,
  nids: readonly number[],
): Promise<ReadonlyMap<number, readonly SimilarSymbol[]>> {
  try {
    return await comparedBodies(compared, nids)
  } catch (error) {
    // The commit of before may be gone after a forced push. An index never fails for a suggestion.
    if (compared.signal.aborted || !(error instanceof GitFault)) throw error
    return new Map()
  }
}

async function comparedBodies(
  compared: Compared,
  nids: readonly number[],
): Promise<ReadonlyMap<number, readonly SimilarSymbol[]>> {
  const { before, commit, plan } = compared
  const wanted = new Set(nids)
  const gone = plan.removed.filter(({ kind, nid }) => kind === 'symbol' && wanted.has(nid))
  const created = plan.created.filter(({ kind }) => kind === 'symbol')
  if (before === null || gone.length === 0 || created.length === 0) return new Map()
  const places = new Set(gone.map(({ path }) => path))
  // What has become of a symbol is most often in the file where it was.
  const files = [...new Set(created.map(({ path }) => path))].sort(
    (a, b) => Number(places.has(b)) - Number(places.has(a)),
  )
  const old = await bodiesIn(compared, before, [...places].slice(0, mostFiles))
  const fresh = await bodiesIn(compared, commit, files.slice(0, mostFiles))
  const among = created.flatMap(({ path, symbol }) => {
    const pairs = fresh.get(keyOf(path, symbol))
    return pairs ? [[{ path, symbol }, pairs] as const] : []
  })
  return new Map(
    gone.flatMap(({ nid, path, symbol }) => {
      const pairs = old.get(keyOf(path, symbol))
      const alike = pairs ? mostAlike(pairs, among, least, mostSuggested) : []
      const found = alike.map(({ item, likeness }) => ({ ...item, similarity: rounded(likeness) }))
      return found.length > 0 ? [[nid, found] as const] : []
    }),
  )
}

const keyOf = (path: string, symbol: string): string => `${path}\0${symbol}`
const rounded = (value: number): number => Math.floor(value * 100) / 100

/** The bodies of all symbols in these files of a commit. */
async function bodiesIn(
  { git_dir, cache, signal }: Compared,
  commit: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, WordPairs>> {
  const asked = new Set(paths)
  const files = (await listTree(git_dir, commit, signal)).flatMap(({ path, kind, oid, size }) => {
    if (path === undefined || kind !== 'file' || size > largestBytes || !asked.has(path)) return []
    const language = languageOf(path)
    return language === undefined ? [] : [{ path, oid, key: `${oid}.${language}` }]
  })
  const found = new Map<string, WordPairs>()
  const blobs = new BlobReader(git_dir)
  try {
    for (let at = 0; at < files.length; at += batch) {
      signal.throwIfAborted()
      const these = files.slice(at, at + batch)
      const facts = await cache.get(these.map(({ key }) => key))
      const contents = await blobs.read(these.map(({ oid }) => oid))
      for (const [n, { path, key }] of these.entries()) {
        const [text, content] = [facts.get(key), contents[n]]
        if (text === undefined || content === undefined) continue
        const lines = content.toString('utf8').split('\n')
        for (const { name, lines: part } of (JSON.parse(text) as FileFacts).definitions)
          found.set(keyOf(path, name), pairsOf(lines.slice(part[0] - 1, part[1]).join('\n')))
      }
    }
  } finally {
    blobs.close()
  }
  return found
}
