import { OfflineModel } from '@crewhall/server/platform/embeddings/offline.ts'
import { createLog } from '@crewhall/server/platform/log/log.ts'
import { type CheckLine, share } from './check-line.ts'
import type { Corpus, CorpusMemory, CorpusQuery } from './corpus.ts'
import { atOnce, type MemoryCaller, type MemoryHost, type Workspace } from './memory-host.ts'
import { hitAt, type Judged, meanReciprocalRank } from './recall-quality.ts'

/** What the interface returns at most. */
const mostReturned = 50

const live = `brand_id = $1 and agent_id = $2 and status = 'active'`
const allWords = `select id from memory.memories where ${live} and search @@ plainto_tsquery('english', $3)
  order by ts_rank(search, plainto_tsquery('english', $3)) desc, id limit 100`
const anyWord = `select id from memory.memories where ${live} and search @@ memory.any_of($3)
  order by ts_rank(search, memory.any_of($3)) desc, id limit 100`
const nearest = `select memory_id as id from bench_vectors where brand_id = $1 and agent_id = $2
  order by vector <=> $3::halfvec, memory_id limit 100`

type Search = (query: CorpusQuery) => Promise<readonly string[]>

export interface Loaded {
  readonly workspace: Workspace
  /** By id of the corpus, and back. */
  readonly ids: ReadonlyMap<string, string>
  readonly names: ReadonlyMap<string, string>
}

/** By the public route, as an agent would write them. */
export async function loadCorpus(
  host: MemoryHost,
  workspace: Workspace,
  caller: MemoryCaller,
  memories: readonly CorpusMemory[],
): Promise<Loaded> {
  await host.addAgents(workspace, [...new Set(memories.map(({ agent }) => agent))])
  const ids = new Map<string, string>()
  await atOnce(8, memories, async ({ id, agent, ...memory }) => {
    const made = await caller.made<{ id: string }>('POST', '/memories', { agent_id: agent, ...memory })
    ids.set(id, made.id)
  })
  return { workspace, ids, names: new Map([...ids].map(([name, id]) => [id, name])) }
}

/** C1 to C3 and C5, with the baselines by SQL alone. */
export async function checkQuality(
  host: MemoryHost,
  servers: { readonly fused: MemoryCaller; readonly text: MemoryCaller },
  { workspace, names }: Loaded,
  { memories, queries, unanswerable }: Corpus,
  isJudged: boolean,
): Promise<CheckLine[]> {
  const pool = host.bare(workspace, 4)
  const vectors = await embedAll(queries.map(({ query }) => query))
  await storeVectors(host, workspace, names, memories)
  const named = (rows: readonly { id: string }[]) => rows.map(({ id }) => names.get(id) ?? id)
  const bySql =
    (sql: string, value: (query: CorpusQuery) => string): Search =>
    async (query) =>
      named((await pool.query<{ id: string }>(sql, [workspace.brand_id, query.agent, value(query)])).rows)
  const byHttp =
    (caller: MemoryCaller): Search =>
    async ({ agent, query }) =>
      named((await caller.found(agent, query, mostReturned)).memories)
  const text = ({ query }: CorpusQuery) => query
  const vectorOf = new Map(queries.map(({ id }, at) => [id, vectors[at] ?? '']))

  const all = await judge(queries, bySql(allWords, text))
  const any = await judge(queries, bySql(anyWord, text))
  const meaning = await judge(
    queries,
    bySql(nearest, ({ id }) => vectorOf.get(id) ?? ''),
  )
  const fused = await judge(queries, byHttp(servers.fused))
  const textOnly = await judge(queries, byHttp(servers.text))
  const strangers = new Set(
    queries
      .filter((_, at) => (any[at]?.returned ?? []).every((id) => !any[at]?.answers.includes(id)))
      .map(({ id }) => id),
  )
  const part = (judged: readonly Judged[], isStranger: boolean) =>
    judged.filter((_, at) => strangers.has(queries[at]?.id ?? '') === isStranger)
  const hit5 = hitAt(5, fused)
  // Of a part of the corpus they say nothing.
  const reached = (is_met: boolean) => (isJudged ? { is_met } : {})
  const isBest = [all, any, meaning].every((other) => hitAt(5, other) < hit5)
  return [
    { check: '', what: 'baseline: all words (SQL)', measured: figures(all, 100) },
    { check: '', what: 'baseline: any word (SQL)', measured: figures(any, 100) },
    { check: '', what: 'baseline: vectors alone (SQL)', measured: figures(meaning, 100) },
    {
      check: 'C1',
      what: `search, ${queries.length} questions (HTTP)`,
      measured: figures(fused, mostReturned),
      bar: 'hit@5 0.74, hit@10 0.81, MRR 0.60, better than each alone',
      ...reached(hit5 >= 0.74 && hitAt(10, fused) >= 0.81 && meanReciprocalRank(fused) >= 0.6 && isBest),
    },
    {
      check: '',
      what: `of these ${strangers.size} without a word in common`,
      measured: `${figures(part(fused, true), mostReturned)}; vectors alone ${figures(part(meaning, true), 100)}`,
    },
    {
      check: 'C2',
      what: 'embeddings switched off (HTTP)',
      measured: figures(textOnly, mostReturned),
      bar: 'hit@5 0.68',
      ...reached(hitAt(5, textOnly) >= 0.68),
    },
    await checkNoAnswer(servers.fused, unanswerable),
  ]
}

async function checkNoAnswer(caller: MemoryCaller, queries: readonly CorpusQuery[]): Promise<CheckLine> {
  let marked = 0
  await atOnce(4, queries, async ({ agent, query }) => {
    const [top] = (await caller.found(agent, query, 5)).memories
    if (top === undefined || top.low_match === true) marked += 1
  })
  return {
    check: 'C5',
    what: `questions without an answer, top result marked as a low match`,
    measured: `${marked} of ${queries.length}`,
    bar: '18 of 20',
    is_met: marked >= 0.9 * queries.length,
  }
}

async function judge(queries: readonly CorpusQuery[], search: Search): Promise<Judged[]> {
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

async function storeVectors(
  host: MemoryHost,
  { brand_id }: Workspace,
  names: ReadonlyMap<string, string>,
  memories: readonly CorpusMemory[],
): Promise<void> {
  const texts = memories.map(({ title, description, body }) =>
    [title, description, body].filter((part) => part !== undefined).join('\n'),
  )
  const vectors = await embedAll(texts)
  const byName = new Map(memories.map(({ id, agent }, at) => [id, { agent, vector: vectors[at] ?? '' }]))
  await host.owner(`create table bench_vectors (brand_id int, agent_id text, memory_id uuid, vector halfvec(512));
    alter table bench_vectors alter column vector set storage plain; grant select, insert on bench_vectors to public;
    create index on bench_vectors (brand_id, agent_id)`)
  const rows = [...names].map(([id, name]) => ({ id, ...byName.get(name) }))
  await host.sql(
    `insert into bench_vectors select $1, agent, id, vector::halfvec
     from unnest($2::text[], $3::uuid[], $4::text[]) as made (agent, id, vector)`,
    [brand_id, rows.map(({ agent }) => agent), rows.map(({ id }) => id), rows.map(({ vector }) => vector)],
  )
}

/** As Postgres reads them. The model of the product, without its queue. */
async function embedAll(texts: readonly string[]): Promise<string[]> {
  const model = new OfflineModel(createLog({ level: 'silent', process_name: 'bench' }), { batch_ms: 60_000 })
  try {
    const all: string[] = []
    for (let at = 0; at < texts.length; at += model.batch) {
      const patience = AbortSignal.timeout(60_000)
      const vectors = await model.embed(texts.slice(at, at + model.batch), 'document', patience)
      all.push(...vectors.map((vector) => `[${vector.join(',')}]`))
    }
    return all
  } finally {
    await model.close()
  }
}
