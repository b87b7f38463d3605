import { get, type IncomingMessage } from 'node:http'
import { useServer } from '@crewhall/testkit/test-server.ts'
import type pg from 'pg'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { watchMemory } from '../workspaces/photos/process-memory.ts'
import { type Board, BoardWorkspace, type Card } from './board-workspace.ts'

// The longest legal texts, in lists. A character takes three bytes.

const longest = 65_536
const cards = 40
const slowCallers = 20
const server = useServer('product', {
  HTTP_RATE_LIMIT_PER_MINUTE: '0',
  HTTP_RATE_LIMIT_PER_CREDENTIAL: '0',
})

let owner: pg.Client
let workspace: BoardWorkspace
let board: Board
let card: Card
beforeAll(async () => {
  owner = await server.connection('owner')
  await owner.query(`select set_config('app.system', 'on', false)`)
  workspace = await BoardWorkspace.open(server)
  board = await workspace.board()
  card = await workspace.card(board)
  for (let n = 1; n < cards; n += 1) await workspace.card(board)
  const texts = ['instructions', 'acceptance_criteria', 'plan', 'notes', 'result', 'review', 'log']
  await owner.query(
    `update boards.card_texts set ${texts.map((name) => `${name} = repeat('語', ${longest})`).join(', ')}`,
  )
})

const path = (query: string) => `/api/v1/board/boards/${board.id}/tasks?detail=full&per_page=100${query}`

/** Asks, hears the beginning of the answer, and takes no more. */
const askSlowly = (url: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${workspace.token}` }
    get(url, { headers, agent: false }, (response) => {
      response.once('readable', () => resolve(response))
    }).once('error', reject)
  })

test('S10: 20 slow readers of the longest page hold little memory, and others are answered meanwhile', async () => {
  const other = await BoardWorkspace.open(server)
  const small = await other.card(await other.board())
  // As in production: checking answers against their contract takes longer than making them.
  const api = await server.start('api', { HTTP_CHECK_ANSWERS: 'false' })
  const readSmall = async () => {
    const headers = { authorization: `Bearer ${other.token}` }
    const response = await fetch(`${api.url}/api/v1/board/tasks/${small.id}`, { headers })
    await response.text()
    return response.status
  }
  expect(await readSmall()).toBe(200)
  const memory = watchMemory(api.pid)
  onTestFinished(() => memory.stop())
  const slow = await Promise.all(
    Array.from({ length: slowCallers }, () => askSlowly(`${api.url}${path('')}`)),
  )
  onTestFinished(() => {
    for (const response of slow) response.destroy()
  })
  expect(new Set(slow.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
  const times: number[] = []
  const statuses: number[] = []
  for (let n = 0; n < 100; n += 1) {
    const begun = performance.now()
    statuses.push(await readSmall())
    times.push(performance.now() - begun)
  }
  expect(statuses.filter((status) => status !== 200)).toEqual([])
  const p95 = times.toSorted((a, b) => a - b).at(-6) ?? 0
  const grown = memory.most_mb - memory.before_mb
  console.log(`grew by ${grown.toFixed(0)} MB, p95 of the others ${p95.toFixed(0)} ms`)
  // One page has 55 MB, so whole ones would be 1,100 MB. Each caller may hold 4 MB; the rest is what is not collected yet.
  expect(grown).toBeLessThan(slowCallers * 4 + 320)
  expect(p95).toBeLessThan(1000)
})

test.each(['', '&cursor=start'])('S10: the longest page arrives whole%s', async (query) => {
  const response = await server.get(path(query), { headers: { authorization: `Bearer ${workspace.token}` } })
  expect(response.headers.get('etag')).toBeNull()
  const { items, total } = (await response.json()) as { items: Card[]; total: number }
  expect([items.length, new Set(items.map(({ id }) => id)).size, total]).toEqual([cards, cards, cards])
  for (const item of items) expect(String(item.log).length + String(item.plan).length).toBe(2 * longest)
})

test('S10: a short page of whole cards has its tag and is not sent twice', async () => {
  const { headers } = await workspace.call('GET', `/boards/${board.id}/tasks?detail=full&page=99`)
  const tag = headers.get('etag') ?? ''
  const again = await workspace.call('GET', `/boards/${board.id}/tasks?detail=full&page=99`, undefined, {
    'if-none-match': tag,
  })
  expect([tag.length > 10, again.status]).toEqual([true, 304])
})

test('S10: the longest comments and runs arrive whole', async () => {
  const numbers = Array.from({ length: 30 }, (_, n) => n + 1)
  for (const n of numbers) {
    const body = `${n}`.padEnd(longest, '語')
    expect((await workspace.call('POST', `/tasks/${card.id}/comments`, { body })).status).toBe(201)
    const run = await workspace.call<{ id: string }>('POST', `/tasks/${card.id}/runs`, {})
    const change = { status: 'succeeded', summary: `${n}`.padEnd(16_384, '語') }
    expect((await workspace.call('PATCH', `/runs/${run.body.id}`, change)).status).toBe(200)
  }
  type Items = { items: { body: string; summary: string }[] }
  const comments = await workspace.call<Items>('GET', `/tasks/${card.id}/comments?per_page=100`)
  const runs = await workspace.call<Items>('GET', `/tasks/${card.id}/runs?per_page=100`)
  expect(comments.body.items.map(({ body }) => Number.parseInt(body, 10))).toEqual(numbers)
  expect(runs.body.items.map(({ summary }) => Number.parseInt(summary, 10))).toEqual(numbers.toReversed())
  expect(comments.body.items.every(({ body }) => body.length === longest)).toBe(true)
  expect(runs.body.items.every(({ summary }) => summary.length === 16_384)).toBe(true)
})
