import { useServer } from '@crewhall/testkit/test-server.ts'
import type { Answer } from '@crewhall/testkit/world/call.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Page } from '../../boards/board-workspace.ts'

const server = useServer('product', {
  HTTP_RATE_LIMIT_PER_MINUTE: '1000',
  HTTP_RATE_LIMIT_PER_CREDENTIAL: '100',
})
let workspace: BoardWorkspace
let board: Board

beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  board = await workspace.board()
  for (const title of ['One', 'Two', 'Three']) await workspace.card(board, { title })
})

const linksOf = (headers: Headers): Record<string, string> =>
  Object.fromEntries(
    [...(headers.get('link') ?? '').matchAll(/<([^>]+)>; rel="(\w+)"/g)].map(([, url = '', rel = '']) => [
      rel,
      url,
    ]),
  )

test('following the links of a list reads all of it, page by page', async () => {
  const titles: string[] = []
  const root = '/api/v1/board'
  let path: string | undefined = `/boards/${board.id}/tasks?detail=summary&per_page=1`
  while (path !== undefined) {
    const page: Answer<Page> = await workspace.call('GET', path)
    titles.push(...page.body.items.map(({ title }) => title))
    path = linksOf(page.headers).next?.slice(root.length)
  }
  expect(titles).toEqual(['One', 'Two', 'Three'])
})

test('following the link of the feed goes on where the page ended', async () => {
  const first = await workspace.call<{ items: { id: string }[] }>(
    'GET',
    `/activity/boards/${board.id}?limit=2`,
  )
  await workspace.card(board, { title: 'Four' })
  const next = linksOf(first.headers).next?.slice('/api/v1/board'.length) ?? ''
  const { body } = await workspace.call<{ items: { action: string }[] }>('GET', next)
  expect(body.items.map(({ action }) => action)).toEqual(['task.created'])
})

describe('the rate limit of a token', () => {
  test('is told with every answer, in the old words and in those of the draft', async () => {
    const { headers } = await workspace.call('GET', '/boards')
    const left = headers.get('x-ratelimit-remaining')
    const reset = headers.get('x-ratelimit-reset')
    expect(headers.get('x-ratelimit-limit')).toBe('100')
    expect(headers.get('ratelimit-policy')).toBe('"credential";q=100;w=60')
    expect(headers.get('ratelimit')).toBe(`"credential";r=${left};t=${reset}`)
    const next = await workspace.call('GET', '/tasks/nothing')
    expect(next.status).toBe(404)
    expect(Number(next.headers.get('x-ratelimit-remaining'))).toBe(Number(left) - 1)
  })

  test('is that of the token alone: when it is used up, another token goes on, and health always does', async () => {
    const other = await BoardWorkspace.open(server)
    const statuses: number[] = []
    for (let call = 0; call < 101; call += 1) statuses.push((await other.call('GET', '/boards')).status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(100)
    const refused = await other.call('GET', '/boards')
    expect([refused.status, refused.body]).toEqual([429, { detail: 'Too many requests' }])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0')
    expect((await workspace.call('GET', '/boards')).status).toBe(200)
    expect((await server.get('/api/v1/system/health')).status).toBe(200)
  })
})
