import * as find from '@crewhall/server/modules/boards/find/find.store.ts'
import { listFoundSummaries } from '@crewhall/server/modules/boards/find/found-cards.store.ts'
import type { BrandCtx } from '@crewhall/server/platform/ctx/ctx.ts'
import { databaseUrl } from '@crewhall/testkit/databases.ts'
import type { SeededBoards } from '@crewhall/testkit/seeded-boards.ts'
import { onlySentBy } from '@crewhall/testkit/sent-statements.ts'
import pg from 'pg'
import type { BenchServer } from './bench-server.ts'

export interface SearchLine {
  readonly name: string
  readonly found: number
  readonly bare_p95_ms: number
  readonly ours_p50_ms: number
  readonly ours_p95_ms: number
}

interface Search {
  readonly name: string
  readonly words: readonly string[]
  /** Nothing has its words as they are: the search is made twice. */
  readonly is_loose?: true
  readonly label?: string
  readonly count_by?: readonly string[]
}
const facets = ['label', 'status', 'assignee', 'priority']
const searches: readonly Search[] = [
  { name: 'a rare word', words: ['part', '312'] },
  { name: 'two common words', words: ['mail', 'queue'] },
  { name: 'one very common word', words: ['team'] },
  { name: 'the beginning of a word', words: ['keyb'] },
  { name: 'words of comments', words: ['build', '4711'] },
  { name: 'words and a label', words: ['webhook', 'retries'], label: 'ops' },
  { name: 'a typing error', words: ['webohok', 'part', '17'], is_loose: true },
  {
    name: 'a label with a rare word, with facets',
    words: ['calendar', '88'],
    label: 'api',
    count_by: facets,
  },
  { name: 'two common words, with facets', words: ['mail', 'queue'], count_by: facets },
  { name: 'one very common word, with facets', words: ['team'], count_by: facets },
]

const wanted = {
  board_ids: null,
  with_archived_boards: false,
  board_type: null,
  name_keys: null,
  status: null,
  since: null,
  due_before: null,
  due_after: null,
  blocked: null,
  claimed: null,
  sort: 'relevance',
  limit: 50,
  offset: 0,
} as const

/**
 * One search after the other, each as the product answers it and as the same statements take on a connection of their
 * own, in turn. Nobody else calls: what is measured is the time of one search, not how many there can be.
 */
export async function benchSearch(
  database: string,
  product: BenchServer,
  headers: Record<string, string>,
  { brand_id }: SeededBoards,
  calls: number,
): Promise<SearchLine[]> {
  const client = new pg.Client({
    connectionString: databaseUrl(database),
    options: `-c app.brand_id=${brand_id} -c TimeZone=UTC -c pg_trgm.word_similarity_threshold=0.4`,
  })
  await client.connect()
  try {
    const lines: SearchLine[] = []
    for (const search of searches) lines.push(await measure(search))
    return lines
  } finally {
    await client.end()
  }

  async function measure(search: Search): Promise<SearchLine> {
    const query = new URLSearchParams({ q: search.words.join(' ') })
    if (search.label) query.set('label', search.label)
    if (search.count_by) query.set('count_by', search.count_by.join(','))
    const ask = async () => {
      const response = await fetch(`${product.url}/api/v1/board/tasks:search?${query}`, { headers })
      if (response.status !== 200)
        throw new Error(`${search.name}: ${response.status} ${await response.text()}`)
      return (await response.json()) as { items: { id: string }[]; total: number }
    }
    const { items, total } = await ask()
    const statements = statementsOf(search, items)
    const send = async () => {
      for (const statement of statements) await client.query(statement)
    }
    const [bare, ours]: [number[], number[]] = [[], []]
    await send()
    for (let n = 0; n < calls; n += 1) {
      bare.push(await timeOf(send))
      ours.push(await timeOf(ask))
    }
    return {
      name: search.name,
      found: total,
      bare_p95_ms: percentile(bare, 0.95),
      ours_p50_ms: percentile(ours, 0.5),
      ours_p95_ms: percentile(ours, 0.95),
    }
  }

  function statementsOf({ words, is_loose, label, count_by = [] }: Search, items: readonly { id: string }[]) {
    const marks = [`'${brand_id}#card'`, ...(label ? [`'${brand_id}#label=${label}'`] : [])].join(' & ')
    const asked = { ...wanted, count_by, marks, words, is_open: true }
    const byWords = { ...asked, comment_marks: `'${brand_id}#comment'`, key: null, number: null }
    const loosely = { ...asked, swaps: words.map((word) => word.replace('oh', 'ho')) }
    const sent = (call: (ctx: BrandCtx) => unknown) => onlySentBy(brand_id, call)
    return [
      sent((ctx) => find.findByWords(ctx, byWords)),
      ...(is_loose ? [sent((ctx) => find.findLoosely(ctx, loosely))] : []),
      sent((ctx) =>
        listFoundSummaries(
          ctx,
          items.map(({ id }) => id),
        ),
      ),
    ]
  }
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

const percentile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? Number.NaN
