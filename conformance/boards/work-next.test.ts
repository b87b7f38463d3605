import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeEach, expect, test } from 'vitest'
import { dumpOf } from './board-dump.ts'
import { BoardWorkspace } from './board-workspace.ts'

const server = useSharedServer('product')
let workspace: BoardWorkspace
beforeEach(async () => {
  workspace = await BoardWorkspace.open(server)
})

interface Work {
  claim: { task_id: string; epoch: number; claim_id: string; holder: { name: string } } | null
  run: { id: string; status: string; claim_epoch: number } | null
  context: { ref: string; title: string; priority: string; claim_epoch: number } | null
  detail: unknown
}
const next = (body: object = {}, query = '', headers = {}) =>
  workspace.call<Work>('POST', `/work:next${query}`, body, headers)
const titles = async (count: number, body: object = {}) => {
  const found: (string | undefined)[] = []
  for (let n = 0; n < count; n += 1) found.push((await next(body)).body.context?.title)
  return found
}

test('the most urgent card of all boards comes first, then what is due first, then what is higher', async () => {
  const [one, two] = [await workspace.board(), await workspace.board()]
  const due = (day: number) => ({ due_at: `2026-12-0${day}T00:00:00Z` })
  await workspace.card(one, { title: 'none' })
  await workspace.card(two, { title: 'high', priority: 'high' })
  await workspace.card(one, { title: 'high, due late', priority: 'high', ...due(2) })
  await workspace.card(two, { title: 'high, due soon', priority: 'high', ...due(1) })
  await workspace.card(one, { title: 'urgent', priority: 'urgent' })
  await workspace.card(one, { title: 'none, below' })
  await workspace.card(one, { title: 'in review', priority: 'urgent', status: 'review' })
  const blocked = await workspace.card(two, { title: 'blocked', priority: 'urgent' })
  const blocker = await workspace.card(two, { title: 'low', priority: 'low' })
  await workspace.call('PUT', `/tasks/${blocker.id}/relations/blocks/${blocked.id}`)
  expect(await titles(8)).toEqual([
    'urgent',
    'high, due soon',
    'high, due late',
    'high',
    'low',
    'none',
    'none, below',
    undefined,
  ])
})

test('it is claimed, has a run under the claim, and its context fits the budget', async () => {
  const card = await workspace.card(await workspace.board(), { instructions: 'x'.repeat(20_000) })
  const answer = await next({ worker: 'one', lease_seconds: 60, budget_bytes: 2048 })
  const { claim, run, context } = answer.body
  expect(answer.status).toBe(200)
  expect(claim).toMatchObject({ task_id: card.id, epoch: 1, holder: { kind: 'agent', name: 'one' } })
  expect(run).toMatchObject({ task_id: card.id, status: 'running', claim_epoch: 1 })
  expect(context).toMatchObject({ ref: card.ref, claim_epoch: 1 })
  expect(JSON.stringify(context).length).toBeLessThanOrEqual(2048)
  expect(await workspace.read(card)).toMatchObject({ claim: { epoch: 1 }, runs_count: 1 })
})

test('an agent works on a card in at most 4 calls and 6 KB down', async () => {
  const board = await workspace.board()
  const card = await workspace.card(board, {
    title: 'Carry the one',
    instructions: 'The difference engine forgets the carry after the ninth wheel. '.repeat(20),
    acceptance_criteria: '- [ ] 999 + 1 is 1000\n- [ ] No wheel turns twice',
    plan: 'Look at the ninth wheel first. '.repeat(10),
  })
  for (let n = 0; n < 5; n += 1)
    await workspace.call('POST', `/tasks/${card.id}/comments`, {
      body: `Remark ${n}. ${'More. '.repeat(40)}`,
    })
  const calls: { call: string; up: number; down: number }[] = []
  const agent = async <T>(method: string, path: string, body: object) => {
    const answer = await workspace.call<T>(method, path, body)
    expect([path, answer.status]).toEqual([path, 200])
    const [up, down] = [JSON.stringify(body), answer.text].map((text) => Buffer.byteLength(text))
    calls.push({ call: `${method} ${path}`, up: up ?? 0, down: down ?? 0 })
    return answer.body
  }
  const { claim, run } = await agent<Work>('POST', '/work:next', { worker: 'one', budget_bytes: 4096 })
  await agent('PATCH', `/runs/${run?.id}`, { summary: 'The carry is found.', usage: { tokens: 900 } })
  const beat = { claim_id: claim?.claim_id, epoch: claim?.epoch, lease_seconds: 900 }
  await agent('POST', `/tasks/${card.id}/heartbeat`, beat)
  await agent('POST', `/runs/${run?.id}:finish`, {
    status: 'succeeded',
    usage: { tokens: 2100, cost_micros: 4200 },
    comment: 'Ready for review.',
    change: { status: 'review', branch: 'carry', pr_number: 12, pr_state: 'open', result: 'It carries.' },
  })
  const down = calls.reduce((sum, each) => sum + each.down, 0)
  const lines = calls.map(
    ({ call, up, down }) => `${String(up).padStart(6)} up ${String(down).padStart(6)} down  ${call}`,
  )
  console.log([...lines, `${calls.length} calls, ${down} bytes down`].join('\n'))
  expect(calls.length).toBeLessThanOrEqual(4)
  expect(down).toBeLessThanOrEqual(6144)
  expect(await workspace.read(card)).toMatchObject({ status: 'review', claim: null })
})

test('filters narrow what is offered', async () => {
  const [one, two] = [await workspace.board(), await workspace.board()]
  await workspace.card(one, { title: 'a', labels: ['x'], priority: 'high' })
  await workspace.card(two, { title: 'b', labels: ['y', 'z'], task_type: 'docs' })
  await workspace.card(two, { title: 'c', priority: 'low' })
  expect(await titles(1, { labels: ['z', 'q'] })).toEqual(['b'])
  expect(await titles(1, { task_type: 'docs' })).toEqual([undefined])
  expect(await titles(1, { priorities: ['none', 'medium'] })).toEqual([undefined])
  expect(await titles(2, { board_ids: [two.id] })).toEqual(['c', undefined])
  expect(await titles(1, { priorities: ['high'] })).toEqual(['a'])
})

test('boards of other workspaces and archived ones offer nothing, nor does what a guest wrote', async () => {
  const away = await workspace.board()
  const card = await workspace.card(away)
  await workspace.call('POST', `/boards/${away.id}/archive`)
  expect(await titles(1)).toEqual([undefined])
  const stranger = await BoardWorkspace.open(server)
  const foreign = await stranger.board()
  await stranger.card(foreign)
  const missing = await next({ board_ids: ['00000000-0000-4000-8000-000000000000'] })
  expect(missing.status).toBe(404)
  expect(await next({ board_ids: [foreign.id] })).toEqual(missing)
  await workspace.call('POST', `/boards/${away.id}/restore`)
  await server.sql(`update boards.cards set source = 'guest' where id = $1`, [card.id])
  expect(await titles(1)).toEqual([undefined])
})

test('a dry run claims nothing, and a key claims once', async () => {
  const board = await workspace.board()
  await workspace.card(board)
  await workspace.card(board)
  const before = await dumpOf(workspace)
  expect((await next({}, '?dry_run=true')).body.claim).not.toBeNull()
  expect(await dumpOf(workspace)).toEqual(before)
  const key = { 'idempotency-key': `next-${board.id}` }
  const first = await next({}, '', key)
  expect(await next({}, '', key)).toEqual(first)
})
