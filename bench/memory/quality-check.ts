import { type CheckLine, share } from './check-line.ts'
import type { Corpus, CorpusMemory, CorpusQuery } from './corpus.ts'
import { modelName } from './corpus-vectors.ts'
import { atOnce, type MemoryCaller, type MemoryHost, type Workspace } from './memory-host.ts'
import { hitAt, type Judged, meanReciprocalRank } from './recall-quality.ts'

/** What the interface returns at most. */
const mostReturned = 50

const live = `brand_id = $1 and agent_id = $2 and status = 'active'`
const allWords = `select id from memory.memories where ${live} and search @@ plainto_tsquery('english', $3)
  order by ts_rank(search, plainto_tsquery('english', $3)) desc, id limit 100`
const anyWord = `select id from memory.memories where ${live} and search @@ memory.any_of($3)
  order by ts_rank(search, memory.any_of($3)) desc, id limit 100`
const nearest = `select memory_id as id from memory.embeddings
  where brand_id = $1 and agent_id = $2 and model = '${modelName}'
  order by vector <=> $3::halfvec, memory_id limit 100`

type Search = (query: CorpusQuery) => Promise<readonly string[]>

export interface Loaded {
  readonly workspace: Workspace
  readonly placed: readonly { readonly id: string; readonly memory: CorpusMemory }[]
  /** Ids of the corpus, by those that the interface gave. */
  readonly names: ReadonlyMap<string, string>
}
export interface Callers {
  /** By words and by meaning. */
  readonly fused: MemoryCaller
  /** Of a process whose embeddings are switched off. */
  readonly text: MemoryCaller
}

/** By the public route, as an agent would write them. */
export async function loadCorpus(
  host: MemoryHost,
  workspace: Workspace,
  caller: MemoryCaller,
  memories: readonly CorpusMemory[],
): Promise<Loaded> {
  await host.addAgents(workspace, [...new Set(memories.map(({ agent }) => agent))])
  const placed: { id: string; memory: CorpusMemory }[] = []
  await atOnce(8, memories, async (memory, at) => {
    const { id: _, agent, ...rest } = memory
    const { id } = await caller.made<{ id: string }>('POST', '/memories', { agent_id: agent, ...rest })
    placed[at] = { id, memory }
  })
  // Learnings that share a tag would become one pattern, and a question would find it instead of its answer.
  await host.sql('update memory.tag_uses set is_due = false where brand_id = $1', [workspace.brand_id])
  return { workspace, placed, names: new Map(placed.map(({ id, memory }) => [id, memory.id])) }
}

/** C1 and C2, beside the baselines by SQL alone. */
export async function checkQuality(
  host: MemoryHost,
  callers: Callers,
  { workspace, names }: Loaded,
  { queries }: Corpus,
  vectors: ReadonlyMap<string, string>,
  isJudged: boolean,
): Promise<CheckLine[]> {
  const pool = host.bare(workspace, 4)
  const bySql =
    (sql: string, value: (query: CorpusQuery) => string): Search =>
    async (query) => {
      const { rows } = await pool.query<{ id: string }>(sql, [workspace.brand_id, query.agent, value(query)])
      return rows.map(({ id }) => names.get(id) ?? id)
    }
  const text = ({ query }: CorpusQuery) => query
  // All at once: no time is judged, and two of them are other processes.
  const [all, any, meaning, fused, textOnly] = await Promise.all([
    judge(queries, bySql(allWords, text)),
    judge(queries, bySql(anyWord, text)),
    judge(
      queries,
      bySql(nearest, ({ query }) => vectors.get(query) ?? ''),
    ),
    judge(queries, byHttp(callers.fused, names)),
    judge(queries, byHttp(callers.text, names)),
  ])
  const { strangers, others } = split(any)
  const isBest = [all, any, meaning].every(
    (other) =>
      hitAt(5, other) < hitAt(5, fused) &&
      hitAt(10, other) < hitAt(10, fused) &&
      meanReciprocalRank(other) < meanReciprocalRank(fused),
  )
  const verdict = (is_met: boolean) =>
    isJudged ? { is_met, is_promise: true } : { informational: 'a part of the corpus' }
  return [
    { check: '', what: 'baseline: all words (SQL)', measured: figures(all, 100) },
    { check: '', what: 'baseline: any word (SQL)', measured: figures(any, 100) },
    { check: '', what: 'baseline: vectors alone (SQL)', measured: figures(meaning, 100) },
    {
      check: 'C1',
      what: `search by words and meaning, ${queries.length} questions (HTTP)`,
      measured: figures(fused, mostReturned),
      bar: 'hit@5 0.74, hit@10 0.81, MRR 0.60, each better than in all baselines',
      ...verdict(
        hitAt(5, fused) >= 0.74 && hitAt(10, fused) >= 0.81 && meanReciprocalRank(fused) >= 0.6 && isBest,
      ),
    },
    {
      check: '',
      what: `of these the ${strangers(fused).length} without a word in common with their answer`,
      measured: `${figures(strangers(fused), mostReturned)}; vectors alone: ${figures(strangers(meaning), 100)}`,
    },
    {
      check: 'C2',
      what: 'the same with embeddings switched off (HTTP)',
      measured: figures(textOnly, mostReturned),
      bar: 'hit@5 0.68',
      ...(isJudged ? { is_met: hitAt(5, textOnly) >= 0.68 } : verdict(true)),
      limited_by: `questions without a common word, which no search by words can find`,
    },
    {
      check: 'C2',
      what: `of these the ${others(fused).length} with a word in common`,
      measured: figures(others(textOnly), mostReturned),
      bar: 'hit@5 0.68',
      ...verdict(hitAt(5, others(textOnly)) >= 0.68),
    },
  ]
}

/** Questions that have no word in common with any answer, as a search for any of their words tells. */
function split(any: readonly Judged[]) {
  const isStranger = any.map(({ returned, answers }) => !returned.some((name) => answers.includes(name)))
  return {
    strangers: <T>(list: readonly T[]) => list.filter((_, at) => isStranger[at]),
    others: <T>(list: readonly T[]) => list.filter((_, at) => !isStranger[at]),
  }
}

export const byHttp =
  (caller: MemoryCaller, names: Loaded['names']): Search =>
  async ({ agent, query }) =>
    (await caller.found(agent, query, mostReturned)).memories.map(({ id }) => names.get(id) ?? id)

export async function judge(queries: readonly CorpusQuery[], search: Search): Promise<Judged[]> {
  const judged: Judged[] = []
  await atOnce(4, queries, async (query, at) => {
    judged[at] = { returned: await search(query), answers: query.answers }
  })
  return judged
}

const figures = (judged: readonly Judged[], most: number): string =>
  [
    ...[5, 10, most].map((places) => `hit@${places} ${share(hitAt(places, judged))}`),
    `MRR ${share(meanReciprocalRank(judged))}`,
  ].join(', ')
