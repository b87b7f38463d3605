import { seedIndex } from '@crewhall/testkit/seeded-index.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Board, BoardWorkspace } from './board-workspace.ts'

// The probe fills the port of lessons: what is told of a card is what its texts ask for.

const server = useSharedServer('probe')
let workspace: BoardWorkspace
let board: Board
let project_id: string
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  const made = await server.get('/api/v1/projects', {
    method: 'POST',
    headers: { cookie: workspace.owner.cookie, 'content-type': 'application/json' },
    body: '{"name":"Engine"}',
  })
  project_id = ((await made.json()) as { id: string }).id
  // An index without lessons: those who really have them say that there are none.
  const of = { brand_id: workspace.owner.brand_id, project_id }
  await server.sql(
    `insert into code_index.repositories (brand_id, project_id, url, generation)
     values ($1, $2, 'https://git.example/engine.git', 1)`,
    [of.brand_id, project_id],
  )
  await seedIndex(await server.connection('superuser'), of, ['src/main.ts'])
  board = await workspace.board({ project_id })
})

interface Context {
  readonly lessons?: { id: string; hops: number; body: string }[]
  readonly lessons_degraded?: string
  readonly cut: { field: string; items?: number; bytes?: number; of: number; path?: string }[]
}
const read = async (card: { id: string }, query: string, headers: Record<string, string> = {}) => {
  const response = await server.get(`/api/v1/board/tasks/${card.id}/context${query}`, {
    headers: { cookie: workspace.owner.cookie, ...headers },
  })
  const text = await response.text()
  return { status: response.status, text, body: JSON.parse(text) as Context }
}

test('lessons are there when they are asked for, and not otherwise', async () => {
  const card = await workspace.card(board, { title: 'A card', instructions: 'Change probe:3' })
  const { body } = await read(card, '?include=lessons')
  expect(body.lessons?.map(({ id, hops }) => [id, hops])).toEqual([
    [`${project_id}/l-0`, 0],
    [`${project_id}/l-1`, 1],
    [`${project_id}/l-2`, 2],
  ])
  // A long one is cut like the text of a comment.
  expect(body.cut).toEqual([{ field: 'lessons.1.body', bytes: 1200, of: 4002 }])
  const without = await read(card, '')
  expect(without.body.lessons).toBe(undefined)
  expect(Object.keys(without.body)).not.toContain('lessons_degraded')
})

test('a card without lessons is told with the same bytes, asked for or not', async () => {
  const card = await workspace.card(board, { title: 'A card', instructions: 'x'.repeat(30_000) })
  expect((await read(card, '?include=lessons')).text).toBe((await read(card, '')).text)
  const elsewhere = await workspace.card(await workspace.board(), { instructions: 'Change probe:3' })
  expect((await read(elsewhere, '?include=lessons')).text).toBe((await read(elsewhere, '')).text)
})

test('files in lists of the agent context are named as well, and what a guest has written is not', async () => {
  const listed = await workspace.card(board, { agent_context: { files: [{ path: 'probe:2' }] } })
  expect((await read(listed, '?include=lessons')).body.lessons).toHaveLength(2)
  const card = await workspace.card(board, { title: 'See probe:2' })
  expect((await read(card, '?include=lessons')).body.lessons).toHaveLength(2)
  await server.sql(`update boards.cards set source = 'guest' where id = $1`, [card.id])
  expect((await read(card, '?include=lessons')).body.lessons).toBe(undefined)
})

test('when the index is away, that is said', async () => {
  const card = await workspace.card(board, { instructions: 'Change probe:down' })
  const { status, body } = await read(card, '?include=lessons')
  expect([status, body.lessons, body.lessons_degraded]).toEqual([200, undefined, 'code_index_unavailable'])
})

describe('a card that is far too large', () => {
  test.each([1024, 1100, 2048, 4096, 16_384, 65_536])('has lessons within %i bytes', async (budget) => {
    const texts = { instructions: `probe:50 ${'x'.repeat(60_000)}`, plan: 'ü'.repeat(30_000) }
    const card = await workspace.card(board, { ...texts, notes: '"'.repeat(60_000) })
    const { text, body } = await read(card, `?include=lessons&budget_bytes=${budget}`)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(budget)
    const items = body.lessons?.length ?? 0
    const line = body.cut.find(({ field }) => field === 'lessons')
    expect(line).toEqual(items === 50 ? undefined : { field: 'lessons', items, of: 50 })
    if (budget >= 4096) expect(items).toBeGreaterThan(0)
  })
})

test('a token needs the scopes of lessons, and only lessons can be included', async () => {
  const card = await workspace.card(board, { instructions: 'Change probe:3' })
  const { owner } = workspace
  const tokenWith = async (scopes: string[]) => {
    const made = await server.get(`/api/v1/brands/${owner.brand_id}/tokens`, {
      method: 'POST',
      headers: { cookie: owner.cookie, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'a', scopes }),
    })
    return ((await made.json()) as { token: string }).token
  }
  const ask = async (scopes: string[], query: string) => {
    const headers = { authorization: `Bearer ${await tokenWith(scopes)}` }
    const response = await server.get(`/api/v1/board/tasks/${card.id}/context${query}`, { headers })
    return response.status
  }
  for (const scopes of [[], ['memory:read'], ['code:read']]) {
    expect(await ask(scopes, '?include=lessons')).toBe(403)
    expect(await ask(scopes, '')).toBe(200)
  }
  expect(await ask(['memory:read', 'code:read'], '?include=lessons')).toBe(200)
  expect((await read(card, '?include=comments')).status).toBe(400)
})
