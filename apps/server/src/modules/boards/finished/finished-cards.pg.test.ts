import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { isoTimestamp } from '#platform/db/pool.ts'
import { type FinishedPlace, findFinishedCard, listFinishedCards } from './finished-cards.service.ts'
import { findHorizon, listFinished } from './finished-cards.store.ts'

let database: TestDatabase
let client: pg.Client
let brand: number
let board: string
const opened: pg.Client[] = []

async function open(): Promise<pg.Client> {
  const made = await connect(database, 'application')
  await made.query(`select set_config('app.system', 'on', false)`)
  opened.push(made)
  return made
}
beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  client = await open()
})
afterAll(async () => {
  for (const each of opened) await each.end()
  await database.drop()
})
beforeEach(async () => {
  const { rows } = await client.query<{ id: number }>(
    `insert into identity.brands (name, plan_key, scope_ceiling) values ('A', 'free', '{}') returning id`,
  )
  brand = rows[0]?.id ?? 0
  board = await newBoard()
})

const timestamptz = 1184
/** The statements of the store on a connection of the test, with times as text as in the product. */
function ctxOf(brandId = brand): BrandCtx {
  const all = async (
    statement: { sql: string; bind(params: never, brandId: number): unknown[] },
    params: never,
  ) => {
    const types = {
      getTypeParser: (oid: number) => (text: string) =>
        oid === timestamptz
          ? isoTimestamp(text)
          : oid === 16
            ? text === 't'
            : oid === 3802
              ? JSON.parse(text)
              : text,
    }
    const values = statement.bind(params, brandId)
    return (await client.query({ text: statement.sql, values, types: types as never })).rows
  }
  const db = { all, first: async (...args: Parameters<typeof all>) => (await all(...args))[0] }
  const ctx = { brandId, db, snapshot: (work: (ctx: BrandCtx) => unknown) => work(ctx as never) }
  return ctx as unknown as BrandCtx
}

let made = 0
async function newBoard(): Promise<string> {
  made += 1
  const { rows } = await client.query<{ id: string }>(
    `with b as (insert into boards.boards (brand_id, key, name, board_type) values ($1, $2, 'Board', 'kanban')
       returning id)
     insert into boards.columns (brand_id, board_id, name, name_key, status, rank)
     select $1, id, 'Done', 'done', 'done', 'a0' from b returning board_id as id`,
    [brand, `B${String.fromCharCode(65 + (made % 26), 65 + (Math.trunc(made / 26) % 26))}`],
  )
  return rows[0]?.id ?? ''
}

const member = JSON.stringify({ kind: 'member', id: '1', name: 'M', on_behalf_of: null })
/** A card that is done; by default now, as the product does it: by the clock, in the transaction of the change. */
async function newCard({
  on = board,
  by = client,
  at = 'platform.clock_now()',
  source = 'member',
  who = member,
} = {}) {
  made += 1
  const { rows } = await by.query<{ id: string }>(
    `with c as (insert into boards.cards (brand_id, board_id, number, column_id, rank, title, status, task_type,
         reporter, created_by, updated_by, source, completed_at)
       select $1, $2, $3::int, id, $3::text, 'Card', 'done', 'coding', $4, $4, $4, $5, ${at} from boards.columns
       where board_id = $2 returning id, brand_id)
     insert into boards.card_texts (brand_id, card_id, result) select brand_id, id, 'It works.' from c
     returning card_id as id`,
    [brand, on, made, who, source],
  )
  return rows[0]?.id ?? ''
}

const all = { after: undefined, board_ids: undefined, limit: 100 }
/** From page to page until nothing is left. */
async function walk(limit: number, board_ids?: readonly string[], after?: FinishedPlace): Promise<string[]> {
  const page = await listFinishedCards(ctxOf(), { after, board_ids, limit }, 0)
  const ids = page.cards.map(({ id }) => id)
  return page.has_more ? [...ids, ...(await walk(limit, board_ids, page.next))] : ids
}

test('cards finished in the same microsecond are all read, by pages of any size', async () => {
  const at = `'2026-01-01T00:00:00.000001Z'`
  const ids: string[] = []
  for (let n = 0; n < 7; n += 1) ids.push(await newCard({ at }))
  for (const limit of [1, 2, 3, 7, 8]) expect(await walk(limit)).toEqual(ids.toSorted())
})

test('only boards that are asked for and open, only cards that are done and not archived', async () => {
  const [quiet, away] = [await newBoard(), await newBoard()]
  const busy = await newCard()
  const wanted = await newCard({ on: quiet })
  const hidden = await newCard({ on: quiet })
  const unfinished = await newCard({ on: quiet })
  await newCard({ on: away })
  await client.query('update boards.boards set archived_at = platform.now() where id = $1', [away])
  await client.query('update boards.cards set archived_at = platform.now() where id = $1', [hidden])
  await client.query(`update boards.cards set status = 'review', completed_at = null where id = $1`, [
    unfinished,
  ])
  expect(await walk(10)).toEqual([busy, wanted])
  expect(await walk(10, [quiet, away])).toEqual([wanted])
  expect(await walk(10, [])).toEqual([])
  for (const id of [hidden, unfinished]) expect(await findFinishedCard(ctxOf(), id)).toBeUndefined()
  // Another workspace sees none of them, whatever it names.
  const foreign = await listFinishedCards(ctxOf(brand + 100_000), { ...all, board_ids: [board, quiet] }, 0)
  expect(foreign).toEqual({ cards: [], next: undefined, has_more: false })
  expect(await findFinishedCard(ctxOf(brand + 100_000), wanted)).toBeUndefined()
})

test('the place moves on over cards of other boards', async () => {
  const quiet = await newBoard()
  const last = await newCard()
  const { cards, next, has_more } = await listFinishedCards(ctxOf(), { ...all, board_ids: [quiet] }, 0)
  expect({ cards, id: next?.id, has_more }).toEqual({ cards: [], id: last, has_more: false })
  const wanted = await newCard({ on: quiet })
  const page = await listFinishedCards(ctxOf(), { after: next, board_ids: [quiet], limit: 100 }, 0)
  expect(page.cards.map(({ id }) => id)).toEqual([wanted])
  expect((await listFinishedCards(ctxOf(), { ...all, after: page.next }, 0)).next).toBeUndefined()
})

test('a card that was finished a moment ago is read after it has settled', async () => {
  const settled = await newCard({ at: `platform.clock_now() - interval '301 seconds'` })
  await newCard({ at: `platform.clock_now() - interval '200 seconds'` })
  expect((await listFinishedCards(ctxOf(), all)).cards.map(({ id }) => id)).toEqual([settled])
})

test('a card that is finished again comes again', async () => {
  const id = await newCard()
  const { next } = await listFinishedCards(ctxOf(), all, 0)
  await client.query('update boards.cards set completed_at = platform.clock_now() where id = $1', [id])
  const page = await listFinishedCards(ctxOf(), { ...all, after: next }, 0)
  expect(page.cards.map((card) => card.id)).toEqual([id])
})

interface Page {
  readonly ids: readonly string[]
  readonly next: FinishedPlace | undefined
}
type Look = (after: FinishedPlace | undefined) => Promise<Page>
const real: Look = async (after) => {
  const { cards, next } = await listFinishedCards(ctxOf(), { ...all, after }, 0)
  return { ids: cards.map(({ id }) => id), next: next ?? after }
}
/** Reads all that it sees. */
const naive: Look = async (after) => {
  const from = after ?? { completed_at: '0001-01-01T00:00:00Z', id: '00000000-0000-0000-0000-000000000000' }
  const until = '9999-01-01T00:00:00Z'
  const rows = await listFinished(ctxOf(), { ...from, until, board_ids: null, walked: 100, limit: 100 })
  const ids = rows.filter(({ is_wanted }) => is_wanted).map(({ id }) => id)
  return { ids, next: rows.at(-1) ?? after }
}
/** What is read when the first of two finishes is committed after the second was seen. */
async function readAround(look: Look): Promise<{ read: string[]; slow: string; quick: string }> {
  const writer = await open()
  await writer.query('begin')
  const slow = await newCard({ by: writer })
  // Writers of one board come one after the other.
  const quick = await newCard({ on: await newBoard() })
  const before = await look(undefined)
  await writer.query('commit')
  const after = await look(before.next)
  return { read: [...before.ids, ...after.ids], slow, quick }
}

test('a finish that is committed late is read, and a twin that takes what it sees loses it', async () => {
  const { read, slow, quick } = await readAround(real)
  expect(read).toEqual([slow, quick])
  const twin = await readAround(naive)
  expect(twin.read).toContain(twin.quick)
  expect(twin.read).not.toContain(twin.slow)
})

test('the horizon is never later than the beginning of a transaction that is open', async () => {
  const writer = await open()
  await writer.query('begin')
  const { rows } = await writer.query<{ began: string }>('select now()::text as began')
  const until = await findHorizon(ctxOf(), 0)
  expect(until && until <= isoTimestamp(rows[0]?.began ?? '')).toBe(true)
  await writer.query('commit')
  const later = await findHorizon(ctxOf(), 0)
  expect(later && later > isoTimestamp(rows[0]?.began ?? '')).toBe(true)
})

const actor = (kind: string) => JSON.stringify({ kind, id: '1', name: kind, on_behalf_of: null })
async function comment(card_id: string, kind: string, count: number, from: string): Promise<void> {
  await client.query(
    `insert into boards.comments (brand_id, card_id, body, author, created_at)
     select $1, $2, $3 || ' ' || n, $4, $5::timestamptz + n * interval '1 second' from generate_series(1, $6::int) n`,
    [brand, card_id, kind, actor(kind), from, count],
  )
  await client.query('update boards.cards set comments_count = comments_count + $2 where id = $1', [
    card_id,
    count,
  ])
}

test('a card comes with its result, ended runs and comments, and the kind of each author', async () => {
  const id = await newCard({ who: actor('agent') })
  await comment(id, 'member', 1, '2026-01-01T00:00:00Z')
  await comment(id, 'guest', 1, '2026-01-01T00:01:00Z')
  await client.query(
    `insert into boards.runs (brand_id, card_id, number, status, summary, started_by, finished_at)
     values ($1, $2, 1, 'succeeded', repeat('s', 20000), $3, platform.now()), ($1, $2, 2, 'running', 'x', $3, null)`,
    [brand, id, actor('agent')],
  )
  await client.query('update boards.cards set runs_count = 2 where id = $1', [id])
  const card = await findFinishedCard(ctxOf(), id)
  expect(card).toMatchObject({ id, title: 'Card', result: 'It works.', asked_by: 'agent' })
  expect(card?.runs.map(({ summary, started_by }) => [summary.length, started_by])).toEqual([
    [16_384, 'agent'],
  ])
  expect(card?.comments.map(({ body, author }) => [body, author])).toEqual([
    ['member 1', 'member'],
    ['guest 1', 'guest'],
  ])
})

test('many words of guests do not push out those of others', async () => {
  const id = await newCard()
  await comment(id, 'member', 120, '2026-01-01T00:00:00Z')
  await comment(id, 'guest', 500, '2026-01-02T00:00:00Z')
  const bodies = (await findFinishedCard(ctxOf(), id))?.comments.map(({ body }) => body) ?? []
  expect(bodies.filter((body) => body.startsWith('member'))).toEqual(
    Array.from({ length: 100 }, (_, n) => `member ${n + 21}`),
  )
  expect(bodies).toHaveLength(200)
})

test.each([
  ['guest', 'member', 'guest'],
  ['guest', 'guest', 'guest'],
  ['member', 'guest', 'member'],
  ['member', 'agent', 'agent'],
])('texts of source %s on a card created by a %s are those of a %s', async (source, created_by, asked_by) => {
  const id = await newCard({ source, who: actor(created_by) })
  expect((await findFinishedCard(ctxOf(), id))?.asked_by).toBe(asked_by)
})
