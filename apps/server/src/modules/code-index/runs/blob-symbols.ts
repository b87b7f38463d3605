import { ExtractPool } from '../extraction/extract-pool.ts'
import type { FileFacts } from '../extraction/facts.rules.ts'
import { languageOf } from '../extraction/languages.rules.ts'
import { BlobReader } from '../graph/git-objects.ts'
import type { FactsCache } from '../graph/index-commit.ts'

interface Asked {
  readonly path: string
  readonly blob: string
}

const batchSize = 64
const largestBytes = 1_000_000

/** The names of symbols in contents between two indexed commits: only in those can be seen when one was taken out. */
export async function symbolsOfBlobs(
  git_dir: string,
  cache: FactsCache,
  asked: readonly Asked[],
  signal: AbortSignal,
): Promise<(readonly string[] | undefined)[]> {
  const keys = asked.map(({ path, blob }) => {
    const language = languageOf(path)
    return language === undefined ? undefined : { key: `${blob}.${language}`, blob, language }
  })
  const known = new Map<string, string>()
  const wanted = [...new Map(keys.flatMap((each) => (each ? [[each.key, each] as const] : []))).values()]
  for (let at = 0; at < wanted.length; at += batchSize) {
    const facts = await cache.get(wanted.slice(at, at + batchSize).map(({ key }) => key))
    for (const [key, text] of facts) known.set(key, text)
  }
  const missing = wanted.filter(({ key }) => !known.has(key))
  const blobs = new BlobReader(git_dir)
  const pool = new ExtractPool()
  try {
    for (let at = 0; at < missing.length; at += batchSize) {
      signal.throwIfAborted()
      const batch = missing.slice(at, at + batchSize)
      const contents = await blobs.read(batch.map(({ blob }) => blob))
      const readable = batch.flatMap(({ key, language }, n) => {
        const bytes = contents[n]
        return bytes && bytes.length <= largestBytes ? [{ key, language, bytes }] : []
      })
      const texts = await pool.extract(readable)
      for (const [n, { key }] of readable.entries()) known.set(key, texts[n] ?? '')
    }
  } finally {
    blobs.close()
    await pool.close()
  }
  return keys.map((each) => {
    const text = each && known.get(each.key)
    return text ? (JSON.parse(text) as FileFacts).definitions.map(({ name }) => name) : undefined
  })
}
