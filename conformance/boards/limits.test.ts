import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Board, BoardWorkspace, columnOf, type Page } from './board-workspace.ts'

const server = useSharedServer('product')
let workspace: BoardWorkspace
let board: Board
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  board = await workspace.board()
})

test('K17: if_version holds for a change as for a move', async () => {
  const card = await workspace.card(board)
  expect((await workspace.patch(card, { title: 'One', if_version: 1 })).status).toBe(200)
  expect((await workspace.patch(card, { title: 'Two', if_version: 1 })).status).toBe(409)
  expect((await workspace.read(card)).title).toBe('One')
})

describe('a column with a limit of two', () => {
  const columns = [
    { name: 'To do', status: 'pending' },
    { name: 'Doing', status: 'in_progress', wip_limit: 2 },
  ]

  test('K17: of 20 moves at once into it two pass where the board enforces limits', async () => {
    const strict = await workspace.board({ columns, wip_limits: 'enforced' })
    const cards = await Promise.all(Array.from({ length: 20 }, () => workspace.card(strict)))
    const moves = await Promise.all(cards.map((card) => workspace.move(card, { column: 'Doing' })))
    expect(moves.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(moves.filter(({ status }) => status === 409)).toHaveLength(18)
    const path = `/boards/${strict.id}/tasks`
    expect((await workspace.call('POST', path, { title: 'New', column: 'Doing' })).status).toBe(409)
    const { body } = await workspace.call<Board>('GET', `/boards/${strict.id}`)
    expect(columnOf(body, 'Doing').card_count).toBe(2)
  })

  test('K17: a header says that it holds more where the board only shows limits', async () => {
    const lax = await workspace.board({ columns })
    const told: (string | null)[] = []
    for (let n = 0; n < 3; n += 1) {
      const answer = await workspace.move(await workspace.card(lax), { column: 'Doing' })
      told.push(answer.headers.get('x-over-limit'))
    }
    expect(told).toEqual([null, null, 'true'])
    const path = `/boards/${lax.id}/tasks`
    const added = await workspace.call('POST', path, { title: 'New', column: 'Doing' })
    expect([added.status, added.headers.get('x-over-limit')]).toEqual([201, 'true'])
    const changed = await workspace.patch(await workspace.card(lax), { status: 'in_progress' })
    expect(changed.headers.get('x-over-limit')).toBe('true')
  })
})

test('S10: what an agent is told fits into 16 KiB', async () => {
  const card = await workspace.card(board)
  const fits = { text: 'x'.repeat(16_384 - '{"text":""}'.length) }
  expect((await workspace.patch(card, { agent_context: fits })).status).toBe(200)
  expect((await workspace.patch(card, { agent_context: { text: `${fits.text}x` } })).status).toBe(400)
  const wide = { text: 'é'.repeat(8300) }
  expect((await workspace.patch(card, { agent_context: wide })).status).toBe(400)
})

describe('S19', () => {
  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'JaVaScRiPt:x',
    'ftp://example.com/x',
    'https:',
    '//x',
  ])('S19: %s is no link to a pull request', async (pr_url) => {
    const card = await workspace.card(board)
    expect((await workspace.patch(card, { pr_url })).status).toBe(400)
    expect((await workspace.read(card)).pr_url).toBeNull()
  })

  test.each([' ', '\u3000\u3000', '\t\n', '\u200b', '\u00a0\ufeff'])(
    'S19: %j is neither a title, a name, a label nor a comment',
    async (blank) => {
      const card = await workspace.card(board)
      const refused = [
        await workspace.call('POST', '/boards', { name: blank, key: 'BLANK' }),
        await workspace.call('POST', `/boards/${board.id}/tasks`, { title: blank }),
        await workspace.patch(card, { title: blank }),
        await workspace.patch(card, { labels: ['good', blank] }),
        await workspace.call('POST', `/tasks/${card.id}/comments`, { body: blank }),
        await workspace.call('POST', `/boards/${board.id}/columns`, { name: blank, status: 'done' }),
      ]
      expect(refused.map(({ status }) => status)).toEqual(Array(6).fill(400))
    },
  )

  test('S19: blanks around a title are dropped, those in a comment stay', async () => {
    const card = await workspace.card(board, { title: '\u3000 Two  words ' })
    expect(card.title).toBe('Two  words')
    const { body } = await workspace.call('POST', `/tasks/${card.id}/comments`, { body: '    code\n' })
    expect(body).toMatchObject({ body: '    code\n' })
  })
})

test('K11: archived boards do not count, and of two that open the last one allowed one is refused', async () => {
  const full = await BoardWorkspace.open(server)
  const letter = (n: string) => `chr(65 + (${n}) % 26)`
  await server.sql(
    `insert into boards.boards (brand_id, key, name, board_type, archived_at)
     select $1, 'Z' || ${letter('n / 676')} || ${letter('n / 26')} || ${letter('n')}, 'Board ' || n, 'kanban',
       case when n > 4999 then platform.now() end
     from generate_series(1, 6000) n`,
    [full.owner.brand_id],
  )
  const open = (key: string) => full.call('POST', '/boards', { name: key, key })
  const answers = await Promise.all(['AA', 'AB', 'AC', 'AD'].map(open))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
})

test('K11: a column that is moved up while its board is walked over is not left out', async () => {
  const own = await workspace.board()
  for (const column of ['To do', 'In progress', 'Review', 'Done']) {
    for (let n = 0; n < 2; n += 1) await workspace.card(own, { column, title: `${column} ${n}` })
  }
  const titles: string[] = []
  let cursor: string | null = 'start'
  while (cursor !== null) {
    const query: string = `?per_page=3&cursor=${encodeURIComponent(cursor)}`
    const { body } = await workspace.list(own, query)
    titles.push(...body.items.map(({ title }) => title))
    cursor = (body as Page & { next_cursor: string | null }).next_cursor
    // After the first page, which ends within the second column.
    if (titles.length === 3) {
      await workspace.call('PATCH', `/columns/${columnOf(own, 'Done').id}`, {
        before_id: columnOf(own, 'To do').id,
      })
    }
  }
  expect([...titles].sort()).toEqual(
    [
      'Done 0',
      'Done 1',
      'In progress 0',
      'In progress 1',
      'Review 0',
      'Review 1',
      'To do 0',
      'To do 1',
    ].sort(),
  )
})

test('K11: a changed text leaves the others where they are', async () => {
  const card = await workspace.card(board, { instructions: 'i'.repeat(60_000), notes: 'n' })
  const toastSize = async () =>
    (
      await server.sql<{ size: string }>(
        `select pg_relation_size(reltoastrelid) as size from pg_class where oid = 'boards.card_texts'::regclass`,
      )
    )[0]?.size
  // Incompressible, so that it lies apart from its row and a second copy would be seen.
  const rows = await server.sql<{ text: string }>(
    `select string_agg(md5(n::text), '') as text from generate_series(1, 2000) n`,
  )
  await workspace.patch(card, { instructions: rows[0]?.text })
  const before = await toastSize()
  for (let n = 0; n < 20; n += 1) await workspace.patch(card, { notes: `n${n}` })
  expect(await toastSize()).toBe(before)
})

test('K19: times of one write are one time, with six digits, and never before those of an earlier write', async () => {
  const times = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/
  const card = await workspace.card(board)
  expect(card.moved_at).toBe(card.created_at)
  expect(card.updated_at).toBe(card.created_at)
  const { body: begun } = await workspace.patch(card, {
    status: 'in_progress',
    due_at: '2030-01-01T00:00:00Z',
  })
  expect([begun.moved_at, begun.started_at]).toEqual([begun.updated_at, begun.updated_at])
  expect(begun.due_at).toBe('2030-01-01T00:00:00.000000Z')
  const { body: done } = await workspace.patch(card, { status: 'done' })
  expect([done.moved_at, done.completed_at]).toEqual([done.updated_at, done.updated_at])
  for (const field of ['created_at', 'updated_at', 'moved_at', 'started_at', 'completed_at', 'due_at']) {
    expect(done[field]).toMatch(times)
  }
  expect(String(done.started_at) < String(done.completed_at)).toBe(true)
  const { body: same } = await workspace.patch<{ changed: object }>(
    card,
    { due_at: '2030-01-01T00:00:00.0Z' },
    '?return=receipt',
  )
  expect(same.changed).toEqual({})
})
