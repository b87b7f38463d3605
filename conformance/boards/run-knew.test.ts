import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeEach, expect, test } from 'vitest'
import { BoardWorkspace, type Card } from './board-workspace.ts'

const server = useSharedServer('product')
let workspace: BoardWorkspace
beforeEach(async () => {
  workspace = await BoardWorkspace.open(server)
})

interface Knew {
  version: number
  parts: string[]
  blockers: { id: string; version: number }[]
  parent: { id: string; version: number } | null
  runs: { id: string; status: string }[]
  comments: { id: string; edited_at: string | null }[]
  cut: { field: string }[]
}
interface Run {
  id: string
  knew?: Knew | null
}
const runsOf = async ({ id }: Card, query = '?include=knew', by = workspace) =>
  (await by.call<{ items: Run[] }>('GET', `/tasks/${id}/runs${query}`)).body.items
const next = (body: object = {}, query = '') =>
  workspace.call<{ run: Run; context: { cut: unknown[]; comments?: unknown[] } }>(
    'POST',
    `/work:next${query}`,
    body,
  )

test('what a run was told is kept by id and version, whatever happens to the card later', async () => {
  const board = await workspace.board()
  const card = await workspace.card(board, { instructions: 'Do it', labels: ['a'], priority: 'urgent' })
  const parent = await workspace.card(board, { title: 'Whole' })
  await workspace.call('PUT', `/tasks/${parent.id}/relations/parent/${card.id}`)
  const comment = async (body: string) =>
    (await workspace.call<{ id: string }>('POST', `/tasks/${card.id}/comments`, { body })).body.id
  const [older, newer] = [await comment('Older'), await comment('Newer')]
  await workspace.call('PATCH', `/comments/${older}`, { body: 'Edited' })
  const earlier = (await workspace.call<Run>('POST', `/tasks/${card.id}/runs`, {})).body
  await workspace.call('PATCH', `/runs/${earlier.id}`, { status: 'failed' })
  const { body } = await next()
  const knew = {
    at: expect.any(String),
    budget_bytes: 4096,
    version: (await workspace.read(card)).version,
    parts: ['title', 'column', 'labels', 'instructions', 'parent', 'runs', 'comments'],
    blockers: [],
    parent: { id: parent.id, version: (await workspace.read(parent)).version },
    runs: [{ id: earlier.id, status: 'failed' }],
    comments: [
      { id: newer, edited_at: null },
      { id: older, edited_at: expect.any(String) },
    ],
    cut: [],
  }
  expect(await runsOf(card)).toMatchObject([
    { id: body.run.id, knew },
    { id: earlier.id, knew: null },
  ])
  await workspace.patch(card, { title: 'Other' })
  await comment('Later')
  await workspace.call('POST', `/runs/${body.run.id}:finish`, { status: 'succeeded' })
  expect((await runsOf(card))[0]?.knew).toEqual(knew)
  expect(Object.keys((await runsOf(card, ''))[0] ?? {})).not.toContain('knew')
})

test('of what was cut only what was sent counts, and what was cut is told', async () => {
  const card = await workspace.card(await workspace.board(), { instructions: 'x'.repeat(30_000) })
  for (let n = 0; n < 8; n += 1)
    await workspace.call('POST', `/tasks/${card.id}/comments`, { body: 'y'.repeat(900) })
  const { context } = (await next({ budget_bytes: 2048 })).body
  const [run] = await runsOf(card)
  expect(context.comments?.length ?? 0).toBeLessThan(8)
  expect(run?.knew?.comments).toHaveLength(context.comments?.length ?? 0)
  expect(run?.knew?.cut).toEqual(context.cut)
})

test('another workspace reads nothing of it, and a dry run keeps nothing', async () => {
  const card = await workspace.card(await workspace.board())
  await next({}, '?dry_run=true')
  expect(await runsOf(card)).toEqual([])
  await next()
  const stranger = await BoardWorkspace.open(server)
  expect((await stranger.call('GET', `/tasks/${card.id}/runs?include=knew`)).status).toBe(404)
  expect((await workspace.call('GET', `/tasks/${card.id}/runs?include=all`)).status).toBe(400)
})
