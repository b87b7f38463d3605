import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { verifyData } from '@crewhall/testkit/verify-data.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card } from './board-workspace.ts'

// A database of its own, because all of it is verified in the end.
const server = useServer('product')
const rounds = roundsFor(60, 0.6)
let workspace: BoardWorkspace
let other: BoardWorkspace
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  other = await BoardWorkspace.open(server)
})

interface Label {
  id: string
  name: string
  color: string | null
  card_count: number
  cards_changing: number
}
const labelsOf = async (board: Board) =>
  (await workspace.call<{ items: Label[]; total: number }>('GET', `/boards/${board.id}/labels`)).body.items
const countsOf = async (board: Board) =>
  Object.fromEntries((await labelsOf(board)).map(({ name, card_count }) => [name, card_count]))
const labelOf = async (board: Board, name: string): Promise<Label> => {
  const label = (await labelsOf(board)).find((each) => each.name === name)
  if (!label) throw new Error(`the board has no label ${name}`)
  return label
}
const make = (board: Board, body: object, by = workspace) =>
  by.call<Label>('POST', `/boards/${board.id}/labels`, body)
const change = ({ id }: Label, body: object, by = workspace) => by.call<Label>('PATCH', `/labels/${id}`, body)
const merge = ({ id }: Label, into: Label, by = workspace) =>
  by.call<Label>('POST', `/labels/${id}:merge`, { into: into.id })
const remove = ({ id }: Label, by = workspace) => by.call('DELETE', `/labels/${id}`)
const labelsNow = async (card: Card) => (await workspace.read(card)).labels

test('names on cards are counted as labels, and gone with the last card unless they were made', async () => {
  const board = await workspace.board()
  const card = await workspace.card(board, { labels: ['bug', 'door'] })
  const second = await workspace.card(board, { labels: ['bug'] })
  const made = await make(board, { name: 'door', color: '#AABBCC' })
  expect(made).toMatchObject({ status: 201, body: { color: '#aabbcc', card_count: 1 } })
  expect((await make(board, { name: 'idle' })).body.card_count).toBe(0)
  expect(await countsOf(board)).toEqual({ bug: 2, door: 1, idle: 0 })
  await workspace.patch(card, { labels: ['new'] })
  await workspace.call('POST', `/tasks/${second.id}/archive`)
  expect(await countsOf(board)).toEqual({ door: 0, idle: 0, new: 1 })
  await workspace.call('POST', `/tasks/${second.id}/restore`)
  expect(await countsOf(board)).toEqual({ bug: 1, door: 0, idle: 0, new: 1 })
})

test('a label is renamed, merged and removed with its id, for archived cards as well, and search follows', async () => {
  const board = await workspace.board()
  const card = await workspace.card(board, { labels: ['one', 'two', 'three'] })
  const away = await workspace.card(board, { labels: ['two'] })
  await workspace.call('POST', `/tasks/${away.id}/archive`)
  const two = await labelOf(board, 'two')
  expect((await change(two, { name: 'zwei', color: '#123456' })).body).toEqual({
    ...two,
    name: 'zwei',
    color: '#123456',
  })
  expect(await labelsNow(card)).toEqual(['one', 'zwei', 'three'])
  expect(await labelsNow(away)).toEqual(['zwei'])
  const found = await workspace.list(board, '?label=zwei&detail=summary')
  expect(found.body.items.map(({ id }) => id)).toEqual([card.id])
  const merged = await merge(await labelOf(board, 'zwei'), await labelOf(board, 'one'))
  expect(merged.body).toMatchObject({ name: 'one', card_count: 1, cards_changing: 0 })
  expect(await labelsNow(card)).toEqual(['one', 'three'])
  expect(await labelsNow(away)).toEqual(['one'])
  expect((await remove(await labelOf(board, 'three'))).body).toEqual({ removed: true, cards_changing: 0 })
  expect(await workspace.read(card)).toMatchObject({ labels: ['one'], version: card.version + 3 })
  expect(await countsOf(board)).toEqual({ one: 1 })
  const { body } = await workspace.call<{ items: { action: string }[] }>(
    'GET',
    `/activity/boards/${board.id}?limit=6`,
  )
  expect(body.items.map(({ action }) => action)).toEqual([
    'task.batch_changed',
    'label.deleted',
    'task.batch_changed',
    'label.merged',
    'task.batch_changed',
    'label.updated',
  ])
})

test('names that are taken, hostile names, strangers, archives and dry runs change nothing', async () => {
  const board = await workspace.board()
  const elsewhere = await workspace.board()
  const hostile = `' | '1#card' & \\'"<script>`
  const card = await workspace.card(board, { labels: [hostile, 'plain'] })
  await make(elsewhere, { name: 'far' })
  const [odd, plain] = [await labelOf(board, hostile), await labelOf(board, 'plain')]
  const far = await labelOf(elsewhere, 'far')
  const answers = [
    [await make(board, { name: 'a,b' }), 400],
    [await make(board, { name: 'x', color: 'red; }' }), 400],
    [await change(odd, { name: 'plain' }), 409],
    [await merge(odd, odd), 400],
    [await merge(odd, far), 400],
    [await make(board, { name: 'x' }, other), 404],
    [await change(odd, { name: 'x' }, other), 404],
    [await merge(odd, plain, other), 404],
    [await remove(odd, other), 404],
    [await other.call('GET', `/boards/${board.id}/labels`), 404],
    [await workspace.call('PATCH', `/labels/${odd.id}?dry_run=true`, { name: 'x' }), 200],
  ] as const
  expect(answers.map(([{ status }]) => status)).toEqual(answers.map(([, status]) => status))
  expect(await workspace.read(card)).toEqual(card)
  expect((await change(odd, { name: 'tame' })).status).toBe(200)
  expect(await labelsNow(card)).toEqual(['tame', 'plain'])
  await workspace.call('POST', `/boards/${board.id}/archive`)
  expect((await change(plain, { color: '#000000' })).status).toBe(409)
})

describe('a label of more cards than a request changes', () => {
  const labelled = async (board: Board, count: number, labels: string[]) => {
    for (let made = 0; made < count; made += 100) {
      const operations = Array.from({ length: Math.min(100, count - made) }, () => ({
        op: 'create',
        task: { title: 'One of many', labels },
      }))
      await workspace.call('POST', `/boards/${board.id}/tasks:batch`, { atomic: true, operations })
    }
  }

  test('follows in batches: its count is whole meanwhile, writers go on, and late cards follow too', async () => {
    // Only where nobody else works meanwhile: asked first, so that an installation with workers is told apart.
    const leaving = () => server.sql('select 1 from boards.labels where is_leaving')
    expect(await leaving()).toEqual([])
    const board = await workspace.board()
    await labelled(board, 420, ['many', 'more'])
    const many = await labelOf(board, 'many')
    const { body } = await change(many, { name: 'viele' })
    expect(body).toMatchObject({ id: many.id, name: 'viele', card_count: 420, cards_changing: 220 })
    expect((await make(board, { name: 'many' })).status).toBe(409)
    // Changed again before the first change is done: everything ends where the last one leads.
    const late = await workspace.card(board, { labels: ['many'] })
    const more = await labelOf(board, 'more')
    expect((await merge(body, more)).body).toMatchObject({ name: 'more' })
    const worker = await server.start('worker')
    await waitFor(async () => (await labelOf(board, 'more')).cards_changing === 0, 20_000)
    await waitFor(async () => (await make(board, { name: 'many' })).status === 201, 20_000)
    await worker.stop()
    expect(await countsOf(board)).toEqual({ more: 421, many: 0 })
    expect(await labelsNow(late)).toEqual(['more'])
    expect(await leaving()).toEqual([])
  })
})

interface Setup {
  readonly board: Board
  readonly cards: readonly Card[]
}
/** Three callers take a label off cards, give it to others and rename it, at once. */
const raceOf = (isTwin: boolean, act: (setup: Setup, client: number) => Promise<unknown>) =>
  race({
    rounds,
    isTwin,
    clients: 6,
    async setup(): Promise<Setup> {
      const cards: Card[] = []
      const board = await workspace.board()
      for (let n = 0; n < 5; n += 1)
        cards.push(await workspace.card(board, { labels: n % 2 ? ['a'] : ['b'] }))
      return { board, cards }
    },
    act,
    async verdict({ board }) {
      const rows = await server.sql<{ name: string; counted: number; there: number }>(
        `select l.name, card_count as counted, (select count(*)::int from boards.cards c
           where c.board_id = l.board_id and l.name = any(c.labels)) as there
         from boards.labels l where l.board_id = $1`,
        [board.id],
      )
      const wrong = rows.filter(({ counted, there }) => counted !== there)
      return wrong.length === 0 ? undefined : JSON.stringify(wrong)
    },
  })

test(`counts are exact whoever writes at once, ${rounds} rounds`, { timeout: 120_000 }, async () => {
  const { wrong, examples } = await raceOf(false, async ({ board, cards }, client) => {
    const card = cards[client]
    if (card) return workspace.patch(card, { labels: client % 2 ? ['b'] : ['a', 'c'] })
    return change(await labelOf(board, 'a'), { name: 'z' })
  })
  expect(wrong, examples.join('\n')).toBe(0)
  expect((await verifyData(server.database.url)).code).toBe(0)
  // The twin reads a count and writes it back.
  const twin = await raceOf(true, async ({ board }) => {
    const [row] = await server.sql<{ n: number }>(
      `select card_count as n from boards.labels where board_id = $1 and name = 'a'`,
      [board.id],
    )
    await server.sql(`update boards.labels set card_count = $2 where board_id = $1 and name = 'a'`, [
      board.id,
      (row?.n ?? 0) - 1,
    ])
    await server.sql(
      `update boards.labels set card_count = card_count + 1 where board_id = $1 and name = 'a'`,
      [board.id],
    )
  })
  expect(twin.wrong).toBeGreaterThan(0)
})
