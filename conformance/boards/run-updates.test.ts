import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace } from './board-workspace.ts'
import { Listener } from './stream-calls.ts'

const server = useSharedServer('product')
let workspace: BoardWorkspace
let board: Board
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  board = await workspace.board()
})

interface Entry {
  action: string
  actor: { kind: string; name: string }
  data: { run_id: string; status: string; reason: string | null; line: string; usage: object }
}
async function running(body: object = {}) {
  const card = await workspace.card(board)
  const { body: run } = await workspace.call<{ id: string }>('POST', `/tasks/${card.id}/runs`, body)
  const report = (change: object, by = workspace) => by.call('PATCH', `/runs/${run.id}`, change)
  const news = async () => {
    const feed = await workspace.call<{ items: Entry[] }>('GET', `/activity/boards/${board.id}?limit=200`)
    return feed.body.items.filter(({ data }) => data.run_id === run.id && data.line !== undefined)
  }
  return { card, run, report, news }
}

test('each report is told with its last line and the usage so far, and one that says nothing new is not', async () => {
  const { run, report, news } = await running({ worker: 'one' })
  const headers = bearer(workspace.token)
  const query = `board_ids=${board.id}&types=run.updated`
  const listener = await (await Listener.open(server.api.url, query, { headers })).ready()
  const long = { summary: `Reads.\nWrites ${'x'.repeat(5000)}\n`, usage: { tokens: 5 } }
  await report({ summary: 'Reads.' })
  await report(long)
  await report(long)
  await report({ usage: { tokens: 9, cost_micros: 7 }, status: 'succeeded' })
  const line = `Writes ${'x'.repeat(193)}`
  const told = { run_id: run.id, status: 'running', reason: null }
  const heard = [
    { ...told, line: 'Reads.', usage: { tokens: 0, cost_micros: 0 } },
    { ...told, line, usage: { tokens: 5, cost_micros: 0 } },
  ]
  const feed = await news()
  expect(feed.map(({ data }) => data).toReversed()).toMatchObject([
    ...heard,
    { ...told, status: 'succeeded', line, usage: { tokens: 9, cost_micros: 7 } },
  ])
  expect(feed.every(({ actor }) => actor.kind === 'agent' && actor.name === 'one')).toBe(true)
  await listener.count(2)
  expect(listener.entries.map(({ data }) => data.data)).toMatchObject(heard)
  listener.close()
})

test('what is refused or tried is not told, and a lost run is told as it stood', async () => {
  const { card, report, news } = await running()
  const stranger = await BoardWorkspace.open(server)
  expect((await report({ summary: 'Not mine' }, stranger)).status).toBe(404)
  expect((await report({ usage: { tokens: -1 } })).status).toBe(400)
  expect(await news()).toEqual([])
  const { body: claim } = await workspace.call<{ epoch: number }>('POST', `/tasks/${card.id}/claim`, {})
  const { body: run } = await workspace.call<{ id: string }>('POST', `/tasks/${card.id}/runs`, claim)
  await workspace.call('PATCH', `/runs/${run.id}?dry_run=true`, { summary: 'Tried' })
  await workspace.call('PATCH', `/runs/${run.id}`, { summary: 'Half way', usage: { tokens: 3 } })
  await workspace.call('POST', `/tasks/${card.id}/release`, claim)
  const feed = await workspace.call<{ items: Entry[] }>('GET', `/activity/boards/${board.id}?limit=4`)
  const mine = feed.body.items.filter(({ data }) => data.run_id === run.id)
  expect(mine.map(({ action, data }) => [action, data.status, data.line])).toEqual([
    ['run.finished', 'lost', 'Half way'],
    ['run.updated', 'running', 'Half way'],
    ['run.started', undefined, undefined],
  ])
})

test('of many reports at once, the last in the feed is what the run has', async () => {
  const { card, report, news } = await running()
  await Promise.all(Array.from({ length: 12 }, (_, n) => report({ summary: `${n}`, usage: { tokens: n } })))
  const { body } = await workspace.call<{ items: { summary: string; usage: object }[] }>(
    'GET',
    `/tasks/${card.id}/runs`,
  )
  const [last] = await news()
  expect([last?.data.line, last?.data.usage]).toEqual([body.items[0]?.summary, body.items[0]?.usage])
})
