import type { Corpus } from './corpus.ts'
import { dimension, modelName } from './corpus-vectors.ts'
import { atOnce, type MemoryHost, type Workspace } from './memory-host.ts'
import type { Loaded } from './quality-check.ts'

export interface Sizes {
  readonly agents: number
  readonly each: number
  /** Of one more agent, which has much more than the others. */
  readonly large: number
}

export const largeAgent = 'agent-large'
export const agentName = (at: number): string => `agent-${at}`

/** Of one statement, so that a long run shows where it is. */
const bite = 50_000
/** Neither rows nor most indexes are made by more than one process of the database for each statement. */
const atATime = 2

/**
 * Titles and bodies of the corpus, each title with bodies of others, so that words are as frequent as they are in it; a
 * vector lies between those of the two. Straight into the tables, without triggers: indexes are built afterwards, which
 * takes a fraction of the time.
 */
export async function fillMany(
  host: MemoryHost,
  workspace: Workspace,
  { memories }: Corpus,
  { workspace: { brand_id: source }, placed }: Loaded,
  { agents, each, large }: Sizes,
): Promise<number> {
  const { brand_id, person_id } = workspace
  const names = [...Array.from({ length: agents }, (_, at) => agentName(at)), largeAgent]
  await host.addAgents(workspace, names)
  const indexes = await host.sql<{ indexname: string; indexdef: string }>(
    `select indexname, indexdef from pg_indexes
     where schemaname = 'memory' and tablename in ('memories', 'embeddings') and indexname not like '%_pkey'`,
  )
  await host.owner(`create table bench_texts (at int primary key, title text, body text, tags text[], vector halfvec);
    grant select, insert on bench_texts to public;
    ${indexes.map(({ indexname }) => `drop index memory.${indexname};`).join('\n')}`)
  const ids = placed.slice(0, memories.length).map(({ id }) => id)
  await host.sql(
    `insert into bench_texts select p.at - 1, m.title, m.body, m.tags, e.vector
     from unnest($2::uuid[]) with ordinality as p (id, at)
       join memory.memories m on m.brand_id = $1 and m.id = p.id
       join memory.embeddings e on e.brand_id = $1 and e.memory_id = p.id`,
    [source, ids],
  )
  const actor = JSON.stringify({
    kind: 'member',
    id: String(person_id),
    name: 'Ann Example',
    on_behalf_of: null,
  })
  const count = agents * each
  const fill = (from: number, until: number) => `
    set session_replication_role = replica; set synchronous_commit = off;
    create temp table made as
    select n, md5('memory ' || n)::uuid as id, t.tags, t.title || ' ' || n as title, b.body,
      case when n < ${count} then 'agent-' || n % ${agents} else '${largeAgent}' end as agent_id,
      l2_normalize(t.vector + b.vector) as vector
    from generate_series(${from}::bigint, ${until - 1}::bigint) n
      join bench_texts t on t.at = n % ${ids.length}
      join bench_texts b on b.at = (n * 7 + n / ${ids.length}) % ${ids.length};
    insert into memory.memories (brand_id, id, agent_id, kind, title, body, tags, text_hash, created_by, updated_by)
    select ${brand_id}, id, agent_id, (array['decision', 'learning', 'pattern', 'preference', 'fact'])[1 + n % 5],
      title, body, tags, sha256(int8send(n)), '${actor}', '${actor}' from made order by n;
    insert into memory.embeddings (brand_id, memory_id, agent_id, model, dimension, text_hash, vector)
    select ${brand_id}, id, agent_id, '${modelName}', ${dimension}, '', vector from made order by n;`
  const all = count + large
  const starts = Array.from({ length: Math.ceil(all / bite) }, (_, at) => at * bite)
  await atOnce(atATime, starts, async (at) => {
    await host.owner(fill(at, Math.min(all, at + bite)))
    if (all > 4 * bite) console.error(`${Math.min(all, at + bite)} of ${all} memories`)
  })
  await atOnce(atATime, indexes, async ({ indexdef }) => {
    await host.owner(
      `set maintenance_work_mem = '256MB'; set max_parallel_maintenance_workers = 1; ${indexdef}`,
    )
  })
  for (const table of ['memories', 'embeddings']) await host.owner(`vacuum analyze memory.${table}`)
  return all
}
