import type { Cut } from '@crewhall/contracts/boards/knew.ts'
import { scaled } from '@crewhall/testkit/rounds.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { headOf, partsOf, type Sources } from './context.present.ts'
import { pack, utf8Start } from './packing.rules.ts'

const minBudget = 1024
const maxBudget = 65_536

// Everything that takes more room in JSON than it seems to: quotes, controls, two to four bytes, broken halves.
const unit = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    'a',
    '"',
    '\\',
    '\u0000',
    '\u001f',
    '\n',
    '\u007f',
    'é',
    '\u2028',
    '€',
    '\u{1F600}',
    '\ud800',
  ),
)
const textOf = (max: number) =>
  fc.tuple(unit, fc.nat({ max })).map(([piece, size]) => {
    const repeated = piece === '' ? '' : piece.repeat(Math.ceil(size / piece.length))
    return [...repeated].slice(0, size).join('')
  })
const long = fc.oneof(textOf(100), textOf(3000), textOf(65_536))
const someText = (max: number) =>
  fc.option(
    textOf(max).map((text) => text || 'x'),
    { nil: null },
  )

const status = fc.constantFrom('pending', 'in_progress', 'blocked', 'review', 'done', 'canceled')
const number = fc.integer({ min: 1, max: 2_147_483_647 })
const key = fc.constantFrom('AB', 'ABCDEFGHIJ')
const id = fc.uuid()
const other = fc.record({ id, version: number, key, number, title: textOf(500), status })
const actor = fc.record({
  kind: fc.constantFrom('member', 'guest', 'agent', 'system'),
  id: fc.constant('1'),
  name: textOf(100),
  on_behalf_of: fc.constant(null),
})
const moment = fc.constant('2026-01-02T03:04:05.678901Z')

const run = fc
  .record({ id, number, reason: someText(500), summary: textOf(3000), started_by: actor, started_at: moment })
  .map((row) => ({
    ...row,
    status: 'failed',
    finished_at: null,
    summary: [...row.summary].slice(0, 1200).join(''),
    summary_bytes: Buffer.byteLength(row.summary),
  }))
const edited_at = fc.constant(null)
const comment = fc
  .record({ id, edited_at, author: actor, created_at: moment, body: textOf(3000) })
  .map((row) => ({
    ...row,
    body: [...row.body].slice(0, 1200).join(''),
    body_bytes: Buffer.byteLength(row.body),
  }))

const lesson = fc.record({
  id: textOf(300),
  type: fc.constant('rule'),
  pinned: fc.boolean(),
  stale: fc.boolean(),
  hops: fc.integer({ min: 0, max: 3 }),
  body: textOf(3000),
})

const memory = fc.record({
  id: fc.uuid(),
  kind: fc.constant('fact'),
  title: textOf(200),
  body: textOf(3000),
  stale: fc.boolean(),
})

const sources: fc.Arbitrary<Sources> = fc
  .record({
    card: fc.record({
      id: fc.uuid(),
      key,
      project_id: fc.constant(null),
      number,
      title: textOf(500),
      status,
      column_name: textOf(100),
      task_type: fc.constantFrom('coding', 'research'),
      priority: fc.constantFrom('none', 'medium'),
      source: fc.constantFrom('member', 'guest'),
      version: number,
      claim_epoch: number,
      parent_id: fc.constant(null),
      instructions: long,
      acceptance_criteria: long,
      plan: long,
      notes: long,
      review: long,
      result: long,
      labels: fc.array(textOf(50), { maxLength: 20 }),
      description: textOf(4000),
      agent_context: fc.dictionary(textOf(100), fc.jsonValue(), { maxKeys: 30 }),
      repository: someText(500),
      branch: someText(255),
      base_branch: someText(255),
      pr_url: someText(2000),
      commit_sha: fc.option(fc.constant('abcdef1')),
      pr_number: fc.option(number),
      pr_state: fc.constantFrom(null, 'open'),
      merged_at: fc.option(moment),
      more: fc.nat({ max: 5000 }),
    }),
    checklist: fc.array(fc.record({ text: textOf(100), done: fc.boolean() }), { maxLength: 5 }),
    blockers: fc.array(other, { maxLength: 50 }),
    parent: fc.option(other, { nil: undefined }),
    runs: fc.array(run, { maxLength: 10 }),
    comments: fc.array(comment, { maxLength: 30 }),
    lessons: fc.option(fc.array(lesson, { maxLength: 50 }), { nil: undefined }),
    memories: fc.option(fc.array(memory, { maxLength: 10 }), { nil: undefined }),
  })
  .map(({ card: { more, ...card }, ...lists }) => ({
    card: {
      ...card,
      open_blockers: lists.blockers.length + (lists.blockers.length === 50 ? more : 0),
      items_total: 0,
      runs_count: lists.runs.length + (lists.runs.length === 10 ? more : 0),
      comments_count: lists.comments.length + (lists.comments.length === 30 ? more : 0),
    },
    ...lists,
  })) as fc.Arbitrary<Sources>

const budget = fc.oneof(
  fc.constantFrom(minBudget, maxBudget),
  fc.integer({ min: minBudget, max: 4096 }),
  fc.integer({ min: minBudget, max: maxBudget }),
)

interface Packed {
  [field: string]: unknown
  cut: Cut[]
}
const packed = (from: Sources, bytes: number) =>
  pack(headOf(from.card), partsOf(from), bytes) as unknown as Packed
const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
const runs = { numRuns: scaled(300, 60) }

/** How much of each part is there: characters of a text, items of a list. */
const amountsOf = (context: Packed, from: Sources) =>
  partsOf(from).map(({ key: field }): number => {
    const value = context[field]
    if (value === undefined) return 0
    if (typeof value === 'string') return value.length
    if (Array.isArray(value)) return value.length
    return field === 'parent' ? 1 : Object.keys(value as object).length
  })

/** Shares grow in steps of a hundred bytes, or more with parts that few cards have; over this many budgets every place in a step is tried. */
const wholeStep = Array.from({ length: 181 }, (_, more) => more)

test('the body is never larger than the budget', () => {
  fc.assert(
    fc.property(sources, budget, (from, bytes) => {
      expect(sizeOf(packed(from, bytes))).toBeLessThanOrEqual(bytes)
    }),
    runs,
  )
})

test('the body is never larger than any of a hundred budgets in a row', () => {
  fc.assert(
    fc.property(sources, fc.integer({ min: minBudget, max: 9000 }), (from, start) => {
      for (const more of wholeStep) {
        expect(sizeOf(packed(from, start + more))).toBeLessThanOrEqual(start + more)
      }
    }),
    { numRuns: scaled(20, 10) },
  )
})

test('what is kept and what is cut are together everything', () => {
  fc.assert(
    fc.property(sources, budget, (from, bytes) => {
      const context = packed(from, bytes)
      const amounts = amountsOf(context, from)
      for (const [at, part] of partsOf(from).entries()) {
        const [told, ...more] = context.cut.filter(({ field }) => field === part.key)
        expect(more).toEqual([])
        // Where there is no room for the notes, a zero goes without saying.
        const cut = told && { ...(part.kind === 'text' ? { bytes: 0 } : { items: 0 }), ...told }
        const value = context[part.key]
        if (part.kind === 'text') {
          const kept = value ?? ''
          expect(part.text.startsWith(String(kept))).toBe(true)
          const [is, of] = [Buffer.byteLength(String(kept)), Buffer.byteLength(part.text)]
          expect(cut).toEqual(kept === part.text ? undefined : { field: part.key, bytes: is, of })
        } else {
          const pieces = part.pieces.slice(0, amounts[at])
          expect(listedOf(value)).toEqual(listedOf(shapeOf(pieces, part.as)))
          const { path, total: of } = part
          const where = path === undefined ? {} : { path }
          expect(cut).toEqual(
            pieces.length === of ? undefined : { field: part.key, items: pieces.length, of, ...where },
          )
          const own = context.cut.filter(({ field }) => field.startsWith(`${part.key}.`))
          expect(own).toEqual(pieces.flatMap((piece) => (piece.cut ? [piece.cut] : [])))
        }
      }
    }),
    runs,
  )
})

const listedOf = (value: unknown) => JSON.stringify(value ?? null)
const shapeOf = (pieces: readonly { value: unknown; name?: string }[], as: string | undefined) => {
  if (pieces.length === 0) return undefined
  if (as === 'one') return pieces[0]?.value
  if (as === 'object') return Object.fromEntries(pieces.map(({ name, value }) => [name, value]))
  return pieces.map(({ value }) => value)
}

test('a larger budget never holds less of any part', () => {
  fc.assert(
    fc.property(
      sources,
      budget,
      fc.oneof(fc.nat({ max: 200 }), fc.nat({ max: maxBudget })),
      (from, bytes, more) => {
        const [less, wider] = [packed(from, bytes), packed(from, bytes + more)].map((each) =>
          amountsOf(each, from),
        )
        for (const [part, amount] of (less ?? []).entries()) {
          expect(wider?.[part]).toBeGreaterThanOrEqual(amount)
        }
      },
    ),
    runs,
  )
})

test('not one byte more takes anything away', () => {
  fc.assert(
    fc.property(sources, fc.integer({ min: minBudget, max: 9000 }), (from, start) => {
      let before: number[] = []
      for (const more of wholeStep) {
        const now = amountsOf(packed(from, start + more), from)
        expect(before.filter((amount, part) => amount > (now[part] ?? 0))).toEqual([])
        before = now
      }
    }),
    { numRuns: scaled(20, 10) },
  )
})

test('what fits is sent whole', () => {
  fc.assert(
    fc.property(sources, (from) => {
      const whole = packed(from, 10_000_000)
      const bytes = sizeOf(whole)
      expect(whole.cut.every(({ field, path = '' }) => field.includes('.') || path !== '')).toBe(true)
      // Commas are counted once more than there are, so a few bytes more make sure that all of it fits.
      expect(packed(from, bytes + 100)).toEqual(whole)
    }),
    runs,
  )
})

test('the same card gives the same bytes', () => {
  fc.assert(
    fc.property(sources, budget, (from, bytes) => {
      expect(JSON.stringify(packed(structuredClone(from), bytes))).toBe(JSON.stringify(packed(from, bytes)))
    }),
    { numRuns: scaled(50, 20) },
  )
})

test('no text ends inside a character', () => {
  const whole = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constant('\u{1F600}'.repeat(500)))
  fc.assert(
    fc.property(whole, fc.nat({ max: 2500 }), (text, bytes) => {
      const start = utf8Start(text, bytes)
      expect(start.isWellFormed()).toBe(true)
      expect(Buffer.byteLength(start)).toBeLessThanOrEqual(bytes)
      const next = [...text.slice(start.length)][0]
      if (next !== undefined) expect(Buffer.byteLength(start + next)).toBeGreaterThan(bytes)
    }),
  )
})

test('the largest card there can be still says in 1,024 bytes what is missing', () => {
  const wide = '\u0001'
  const card = {
    id: 'f'.repeat(36),
    key: 'ABCDEFGHIJ',
    number: 2_147_483_647,
    title: wide.repeat(500),
    status: 'in_progress',
    column_name: wide.repeat(100),
    task_type: 'research',
    priority: 'medium',
    source: 'member',
    version: 2_147_483_647,
    claim_epoch: 2_147_483_647,
    parent_id: null,
    instructions: '\u{1F600}'.repeat(65_536),
    acceptance_criteria: '\u{1F600}'.repeat(65_536),
    plan: '\u{1F600}'.repeat(65_536),
    notes: '\u{1F600}'.repeat(65_536),
    review: '\u{1F600}'.repeat(65_536),
    result: '\u{1F600}'.repeat(65_536),
    labels: Array.from({ length: 20 }, () => wide.repeat(50)),
    description: '\u{1F600}'.repeat(4000),
    agent_context: Object.fromEntries(
      Array.from({ length: 20_000 }, (_, at) => [`key ${at}`, 'x'.repeat(100)]),
    ),
    repository: wide.repeat(500),
    branch: wide.repeat(255),
    base_branch: wide.repeat(255),
    pr_url: wide.repeat(2000),
    commit_sha: 'a'.repeat(64),
    pr_number: 2_147_483_647,
    pr_state: 'merged',
    merged_at: '2026-01-02T03:04:05.678901Z',
    open_blockers: 200,
    runs_count: 2_147_483_647,
    comments_count: 2_147_483_647,
  }
  const lesson = { id: 'a/b', type: 'rule', pinned: true, stale: false, hops: 0, body: wide.repeat(20_000) }
  const checklist = Array.from({ length: 100 }, () => ({ text: wide.repeat(500), done: false }))
  const row = { key: 'ABCDEFGHIJ', number: 1, title: wide.repeat(500), status: 'in_progress' }
  const context = packed(
    {
      card,
      blockers: [row],
      parent: row,
      runs: [],
      comments: [],
      lessons: [lesson],
      memories: [lesson],
      checklist,
    } as unknown as Sources,
    minBudget,
  )
  expect(sizeOf(context)).toBeLessThanOrEqual(minBudget)
  expect(context.cut.map(({ field }) => field)).toEqual([
    'title',
    'column',
    'labels',
    'instructions',
    'acceptance_criteria',
    'checklist',
    'review',
    'blockers',
    'agent_context',
    'delivery',
    'parent',
    'plan',
    'description',
    'notes',
    'result',
    'lessons',
    'memories',
    'runs',
    'comments',
  ])
})
