import { randomUUID } from 'node:crypto'
import { newToken } from '@crewhall/testkit/people.ts'
import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock, type VirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card } from '../../boards/board-workspace.ts'

const server = useServer('probe')
let clock: VirtualClock
let workspace: BoardWorkspace
let board: Board

beforeAll(async () => {
  clock = createVirtualClock(server.database.name)
  workspace = await BoardWorkspace.open(server)
  board = await workspace.board()
})
afterAll(async () => {
  clock.close()
})

const create = (key: string, body: object = { title: 'Once' }, as = workspace) =>
  as.call<Card & { detail?: string }>('POST', `/boards/${board.id}/tasks`, body, { 'idempotency-key': key })
const countOf = async (title: string): Promise<number> => {
  const { body } = await workspace.list(board, '?per_page=100')
  return body.items.filter((card) => card.title === title).length
}

test('the same request with the same key is carried out once and answered the same', async () => {
  const key = randomUUID()
  const first = await create(key, { title: 'Same twice' })
  const again = await create(key, { title: 'Same twice' })
  expect(first.status).toBe(201)
  expect(first.headers.get('idempotent-replayed')).toBeNull()
  expect([again.status, again.text]).toEqual([201, first.text])
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(await countOf('Same twice')).toBe(1)
})

test('another body with the same key is refused, and nothing is done', async () => {
  const key = randomUUID()
  await create(key, { title: 'First body' })
  const other = await create(key, { title: 'Second body' })
  expect([other.status, other.body]).toEqual([
    422,
    { detail: 'Idempotency-Key: already used for a different request' },
  ])
  expect(await countOf('Second body')).toBe(0)
})

test('a refusal is not kept: once the cause is gone, the same key does the work', async () => {
  const key = randomUUID()
  const refused = await create(key, { title: 'Later', column: 'Parked' })
  expect(refused.status).toBe(400)
  await workspace.call('POST', `/boards/${board.id}/columns`, { name: 'Parked', status: 'pending' })
  expect((await create(key, { title: 'Later', column: 'Parked' })).status).toBe(201)
})

test('a key means something only to the token that chose it, and only on one path', async () => {
  const key = randomUUID()
  const get = (path: string, init?: RequestInit) => server.get(path, init)
  const { token } = await newToken(get, workspace.owner, [])
  const [mine, other] = [await create(key), await create(key, { title: 'Once' }, workspace.as(token))]
  expect(other.body.id).not.toBe(mine.body.id)
  const moved = await workspace.call('POST', `/tasks/${mine.body.id}/archive`, undefined, {
    'idempotency-key': key,
  })
  expect(moved.status).toBe(200)
  expect(moved.headers.get('idempotent-replayed')).toBeNull()
})

test.each([
  ['empty', ''],
  ['longer than 255 characters', 'k'.repeat(256)],
  ['with a blank inside', 'a b'],
])('a key that is %s is refused', async (_, key) => {
  const { status, body } = await create(key)
  expect([status, body.detail]).toEqual([400, 'Idempotency-Key: must be 1 to 255 visible ASCII characters'])
})

test('after a day the key is free, and the stored answer is gone', async () => {
  const key = randomUUID()
  const before = await create(key, { title: 'Daily' })
  await clock.advance(23 * 3_600_000)
  expect((await create(key, { title: 'Daily' })).body.id).toBe(before.body.id)
  await clock.advance(2 * 3_600_000)
  const next = await create(key, { title: 'Daily' })
  expect(next.status).toBe(201)
  expect(next.body.id).not.toBe(before.body.id)
  const worker = await server.start('worker', clock.env)
  await clock.advance(26 * 3_600_000)
  await waitFor(async () => {
    const rows = await server.sql<{ kept: number }>(
      'select count(*)::int as kept from platform.idempotency_keys',
    )
    return rows[0]?.kept === 0
  }, 20_000)
  await worker.stop()
})

interface Round {
  readonly key: string
  readonly title: string
}

/** Twenty callers with one key; whoever comes while the first is at work is told so. */
const rounds = roundsFor(20, 0.5)
const clients = 20

test('twenty at a time with one key make one card and get one answer', async () => {
  const answers: string[] = []
  const result = await race<Round>({
    rounds,
    clients,
    setup: async (round) => ({ key: randomUUID(), title: `Race ${round}` }),
    act: ({ key, title }) => create(key, { title }),
    async verdict({ title }, outcomes) {
      const seen = outcomes.map((each) =>
        each.status === 'fulfilled' ? (each.value as Answered) : undefined,
      )
      const done = seen.filter((each) => each?.status === 201)
      answers.push(...seen.map((each) => String(each?.status)))
      if (done.length === 0) return 'nobody was answered'
      if (new Set(done.map((each) => each?.text)).size > 1) return 'two different answers'
      if (seen.some((each) => each?.status !== 201 && each?.status !== 409)) return 'an unknown status'
      const { length: rowCount } = await server.sql('select from boards.cards where title = $1', [title])
      return rowCount === 1 ? undefined : `${rowCount} cards`
    },
  })
  expect(result).toEqual({ rounds, wrong: 0, examples: [] })
  expect(new Set(answers)).toContain('201')
})

interface Answered {
  readonly status: number
  readonly text: string
}

test('the naive twin, which looks and then acts, does the work more than once', async () => {
  const headers = { authorization: `Bearer ${workspace.token}`, 'content-type': 'application/json' }
  const result = await race<Round>({
    rounds,
    isTwin: true,
    clients,
    setup: async () => ({ key: randomUUID(), title: '' }),
    act: ({ key }) =>
      server.get('/api/v1/probe/naive/keys', { method: 'POST', headers, body: JSON.stringify({ key }) }),
    async verdict({ key }) {
      const answer = await server.get(`/api/v1/probe/naive/keys?key=${key}`, { headers })
      const { done } = (await answer.json()) as { done: number }
      return done === 1 ? undefined : `done ${done} times`
    },
  })
  expect(result.wrong).toBeGreaterThan(0)
})
