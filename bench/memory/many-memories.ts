import type { Corpus } from './corpus.ts'
import type { MemoryHost, Workspace } from './memory-host.ts'

export interface Sizes {
  readonly agents: number
  readonly each: number
  /** Of one more agent, which has much more than the others. */
  readonly large: number
}

export const largeAgent = 'agent-large'
export const agentName = (at: number): string => `agent-${at}`

/**
 * Titles and bodies of the corpus, each title with bodies of others, so that words are as frequent as they are in it.
 * Straight into the table; its indexes on words are built afterwards, which takes a fraction of the time.
 */
export async function fillMany(
  host: MemoryHost,
  workspace: Workspace,
  { memories }: Corpus,
  { agents, each, large }: Sizes,
): Promise<number> {
  const { brand_id, person_id } = workspace
  const names = [...Array.from({ length: agents }, (_, at) => agentName(at)), largeAgent]
  await host.addAgents(workspace, names)
  const indexes = await host.sql<{ indexname: string; indexdef: string }>(
    `select indexname, indexdef from pg_indexes where schemaname = 'memory' and indexdef like '% USING gin %'`,
  )
  await host.owner(`create table bench_texts (at int primary key, title text, body text, tags text[]);
    grant select, insert on bench_texts to public;
    ${indexes.map(({ indexname }) => `drop index memory.${indexname};`).join('\n')}`)
  await host.sql(
    `insert into bench_texts select (row_number() over ())::int - 1, title, body, string_to_array(tags, ',')
     from unnest($1::text[], $2::text[], $3::text[]) as made (title, body, tags)`,
    [
      memories.map(({ title }) => title),
      memories.map(({ body }) => body),
      memories.map(({ tags }) => tags.join(',')),
    ],
  )
  const actor = { kind: 'member', id: String(person_id), name: 'Ann Example', on_behalf_of: null }
  const fill = (from: number, count: number, agent: string) => `
    insert into memory.memories (brand_id, id, agent_id, kind, title, body, tags, text_hash, created_by, updated_by)
    select ${brand_id}, gen_random_uuid(), ${agent}, (array['decision', 'learning', 'pattern', 'preference', 'fact'])[1 + n % 5],
      t.title || ' ' || n, b.body, t.tags, sha256(int8send(n)), '${JSON.stringify(actor)}', '${JSON.stringify(actor)}'
    from generate_series(${from}::bigint, ${from + count - 1}::bigint) n
    join bench_texts t on t.at = n % ${memories.length}
    join bench_texts b on b.at = (n * 7 + n / ${memories.length}) % ${memories.length};`
  const count = agents * each
  await host.owner(fill(0, count, `'agent-' || n % ${agents}`))
  await host.owner(fill(count, large, `'${largeAgent}'`))
  for (const { indexdef } of indexes) {
    await host.owner(
      `set maintenance_work_mem = '512MB'; set max_parallel_maintenance_workers = 2; ${indexdef}`,
    )
  }
  await host.owner('analyze memory.memories')
  return count + large
}
