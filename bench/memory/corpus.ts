import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface CorpusMemory {
  readonly id: string
  readonly agent: string
  readonly kind: 'decision' | 'learning' | 'pattern' | 'preference' | 'fact'
  readonly title: string
  readonly body: string
  readonly description?: string
  readonly tags: readonly string[]
}

export interface CorpusQuery {
  readonly id: string
  readonly agent: string
  readonly query: string
  /** Memories of the same agent, each of which answers it. None: nothing there does. */
  readonly answers: readonly string[]
}

export interface Corpus {
  readonly memories: readonly CorpusMemory[]
  readonly queries: readonly CorpusQuery[]
  readonly unanswerable: readonly CorpusQuery[]
}

const folder = join(import.meta.dirname, 'corpus')

export function readCorpus(): Corpus {
  const none = linesOf<Omit<CorpusQuery, 'answers'>>('no-answer.jsonl')
  return {
    memories: allIn<CorpusMemory>('memories'),
    queries: allIn<CorpusQuery>('queries'),
    unanswerable: none.map((query) => ({ ...query, answers: [] })),
  }
}

function allIn<Row>(name: string): Row[] {
  const files = readdirSync(join(folder, name)).toSorted()
  return files.flatMap((file) => linesOf<Row>(join(name, file)))
}

function linesOf<Row>(path: string): Row[] {
  const text = readFileSync(join(folder, path), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row)
}
