import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { type PlanNode, planNodes } from '@crewhall/testkit/plan-nodes.ts'
import { readSeeded, type SeededBoards, seedBoards } from '@crewhall/testkit/seeded-boards.ts'
import { onlySentBy } from '@crewhall/testkit/sent-statements.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { askedBy, type Facts, queryOf, queryOfCards, swapsOf } from './find.rules.ts'
import * as store from './find.store.ts'
import * as found from './found-cards.store.ts'

// As the role of the product and under row-level security, planned for its values as it is sent.
const sizes = { brands: 6, boards: 120, of_big: 40, big: 3000, cards: 12_000, entries: 1000 }

let database: TestDatabase
let client: pg.Client
let admin: pg.Client
let seeded: SeededBoards
let small: SeededBoards
beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  await seedBoards(database.name, sizes)
  seeded = await readSeeded(database.name)
  admin = await connect(database, 'superuser')
  await admin.query(
    `update boards.cards set title = 'An axolotl in the aquarium' where brand_id = $1 and number <= 3`,
    [seeded.brand_id],
  )
  const { rows } = await admin.query<{ brand_id: number }>(
    'select max(brand_id) as brand_id from boards.boards',
  )
  small = { ...seeded, brand_id: rows[0]?.brand_id ?? 0 }
  // What others have must not be felt: many of their cards begin alike.
  await admin.query(
    `update boards.cards set title = 'Axle ' || title where brand_id not in ($1, $2)
    and number <= 20`,
    [seeded.brand_id, small.brand_id],
  )
  await admin.query('vacuum analyze boards.search_texts')
  await admin.query('vacuum analyze boards.cards')
  client = await connect(database, 'application')
})
afterAll(async () => {
  await client.end()
  await admin.end()
  await database.drop()
})

async function planOf(of: SeededBoards, call: (ctx: BrandCtx) => unknown): Promise<PlanNode[]> {
  const sent = onlySentBy(of.brand_id, call)
  await client.query(`select set_config('app.brand_id', $1, false)`, [String(of.brand_id)])
  await client.query(`set plan_cache_mode = force_custom_plan; set pg_trgm.word_similarity_threshold = 0.4`)
  const name = `plan_${Math.random().toString(36).slice(2)}`
  await client.query(`prepare ${name} as ${sent.text}`)
  const literal = (value: unknown) => {
    if (value === null) return 'null'
    const text = Array.isArray(value)
      ? `{${value.map((each) => JSON.stringify(each)).join(',')}}`
      : String(value)
    return client.escapeLiteral(text)
  }
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (analyze, timing off, format json) execute ${name} (${sent.values.map(literal).join(', ')})`,
  )
  return planNodes(rows[0]?.['QUERY PLAN'][0].Plan as PlanNode).filter((node) => node['Actual Loops'] > 0)
}

const wanted: store.Wanted = {
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
  sort: '-updated',
  count_by: [],
  limit: 50,
  offset: 0,
}
const marksOf = (of: SeededBoards, facts: Facts) => queryOfCards(of.brand_id, facts)
const byWords = (of: SeededBoards, q: string, facts: Facts = {}) => {
  const { words, is_open } = askedBy(q)
  const marks = marksOf(of, facts)
  const comment_marks = queryOf(of.brand_id, { board: facts.board })
  const find = { ...wanted, marks, comment_marks, words, is_open, key: null, number: null }
  return planOf(of, (ctx) => store.findByWords(ctx, find))
}
const loosely = (of: SeededBoards, q: string) => {
  const { words, is_open } = askedBy(q)
  const find = { ...wanted, marks: marksOf(of, {}), words, is_open, swaps: words.map(swapsOf) }
  return planOf(of, (ctx) => store.findLoosely(ctx, find))
}

const indexesOf = (nodes: readonly PlanNode[]) => new Set(nodes.flatMap((node) => node['Index Name'] ?? []))
const readWhole = (nodes: readonly PlanNode[]) =>
  nodes.flatMap((node) => (node['Node Type'].includes('Seq Scan') ? [node['Relation Name']] : []))
/** Rows that were read from a table, those that did not match among them. */
const fetched = (nodes: readonly PlanNode[], table: string): number =>
  nodes
    .filter((node) => node['Relation Name'] === table && !node['Node Type'].startsWith('Index Only'))
    .reduce((sum, node) => {
      const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
      return sum + (node['Actual Rows'] + removed) * node['Actual Loops']
    }, 0)

/** Small tables may be read whole: columns and boards are few. */
const large = (tables: readonly (string | undefined)[]) =>
  tables.filter((table) => table === 'cards' || table === 'search_texts' || table === 'comments')

describe('words', () => {
  test.each(['axolotl aquarium', 'axolo', 'axolotl in the aqu'])(
    '%s is found in the index of words',
    async (q) => {
      const nodes = await byWords(seeded, q)
      expect(indexesOf(nodes)).toContain('search_texts_card_words')
      expect(large(readWhole(nodes))).toEqual([])
      expect(fetched(nodes, 'search_texts')).toBeGreaterThan(0)
      expect(fetched(nodes, 'search_texts')).toBeLessThanOrEqual(400)
    },
  )

  test('words together with facts and a board are one look into that index', async () => {
    const nodes = await byWords(seeded, 'queue part', { board: [seeded.big_board], priority: ['urgent'] })
    expect(indexesOf(nodes)).toContain('search_texts_card_words')
    expect(large(readWhole(nodes))).toEqual([])
  })

  test('a common word ranks 2,000 cards at most', async () => {
    const nodes = await byWords(seeded, 'part')
    expect(fetched(nodes, 'search_texts')).toBeLessThanOrEqual(4100)
    expect(large(readWhole(nodes))).toEqual([])
  })

  test('a word that nearly every card has is looked for in the cards and not in the index', async () => {
    expect(indexesOf(await byWords(seeded, 'part'))).not.toContain('search_texts_card_words')
    expect(indexesOf(await byWords(seeded, 'part axolotl'))).toContain('search_texts_card_words')
  })

  test('a word with a typing error is found in the index of titles', async () => {
    const nodes = await loosely(seeded, 'axolottle')
    expect(indexesOf(nodes)).toContain('search_texts_title')
    expect(large(readWhole(nodes))).toEqual([])
    expect(fetched(nodes, 'search_texts')).toBeLessThanOrEqual(400)
  })

  // More than a thousand titles of others begin so.
  test.each(['axle', 'axl', 'ax'])('what others have is not felt: %s', async (q) => {
    const strict = await byWords(small, q)
    // Its own sample, with comments between the cards.
    expect(fetched(strict, 'search_texts')).toBeLessThanOrEqual(270)
    const bitmaps = strict.filter((node) => node['Index Name']?.endsWith('_words'))
    expect(
      bitmaps.reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0),
    ).toBeLessThanOrEqual(10)
    expect(large(readWhole(await loosely(small, q)))).toEqual([])
  })

  test('without the mark of its function the index of words stands idle', async () => {
    await admin.query('alter function ts_match_vq(tsvector, tsquery) not leakproof')
    try {
      expect(fetched(await byWords(seeded, 'axolotl'), 'search_texts')).toBeGreaterThan(3000)
    } finally {
      await admin.query('alter function ts_match_vq(tsvector, tsquery) leakproof')
    }
  })
})

describe('filters', () => {
  const facts: readonly Facts[] = [
    { label: ['good first task'] },
    { priority: ['urgent'] },
    { task_type: ['docs'] },
    { assignee: ['member:7'] },
    { delegate: ['agent:none'] },
    { created_by: ['member:7'] },
    { parent: ['00000000-0000-4000-8000-000000000000'] },
    { cycle: ['00000000-0000-4000-8000-000000000000'] },
    { has_pr: ['true'] },
    { label: ['api'], assignee: ['member:7'], priority: ['urgent'] },
  ]
  test.each(facts)('%j is found in the index of words', async (each) => {
    const marks = marksOf(seeded, { ...each, board: seeded.some_boards })
    const nodes = await planOf(seeded, (ctx) => store.findByMarks(ctx, { ...wanted, marks }))
    expect(indexesOf(nodes)).toContain('search_texts_card_words')
    expect(large(readWhole(nodes))).toEqual([])
  })

  test.each([
    ['cards_due', { due_before: '2020-01-01T00:00:00Z' }],
    ['cards_due', { due_after: '2030-01-01T00:00:00Z' }],
    ['cards_blocked', { blocked: true }],
    ['cards_working', { claimed: true }],
  ])('%s serves %j', async (index, condition) => {
    const nodes = await planOf(seeded, (ctx) => store.findByConditions(ctx, { ...wanted, ...condition }))
    expect(indexesOf(nodes)).toContain(index)
    expect(large(readWhole(nodes))).toEqual([])
  })

  test('conditions that most cards meet read as many as may match, and no card of others', async () => {
    const nodes = await planOf(seeded, (ctx) => store.findByConditions(ctx, { ...wanted, blocked: false }))
    expect(large(readWhole(nodes))).toEqual([])
    expect(fetched(nodes, 'cards')).toBeLessThanOrEqual(store.mostMatches)
  })

  test('facets are counted in the same statement, over what was found', async () => {
    const find = {
      ...wanted,
      marks: marksOf(seeded, { label: ['api'] }),
      count_by: ['label', 'status', 'assignee'],
    }
    const nodes = await planOf(seeded, (ctx) => store.findByMarks(ctx, find))
    expect(large(readWhole(nodes))).toEqual([])
  })
})

test('cards of a page are read by key', async () => {
  const { rows } = await admin.query<{ id: string }>(
    'select id from boards.cards where brand_id = $1 limit 50',
    [seeded.brand_id],
  )
  const ids = rows.map(({ id }) => id)
  for (const list of [found.listFoundSummaries, found.listFoundStandard, found.listFoundSizes]) {
    const nodes = await planOf(seeded, (ctx) => list(ctx, ids))
    expect(large(readWhole(nodes))).toEqual([])
    expect(fetched(nodes, 'cards')).toBe(50)
  }
})
