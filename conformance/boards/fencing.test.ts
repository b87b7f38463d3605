import { json } from '@crewhall/testkit/people.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock, type VirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card } from './board-workspace.ts'

const server = useServer('product')
let workspace: BoardWorkspace
let board: Board
let clock: VirtualClock
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  board = await workspace.board()
  clock = createVirtualClock(server.database.name)
})
afterAll(() => clock.close())

interface Claim {
  claim_id: string
  epoch: number
}
interface Entry {
  action: string
  task_id: string
  actor: { kind: string; id: string; name: string }
  data: Record<string, unknown>
}
const claim = async (card: Card, body: object = {}, by = workspace): Promise<Claim> => {
  const answer = await by.call<Claim>('POST', `/tasks/${card.id}/claim`, body)
  if (answer.status !== 200) throw new Error(`the claim was answered ${answer.status}`)
  return answer.body
}
const start = async (card: Card, body: object = {}) =>
  (await workspace.call<{ id: string }>('POST', `/tasks/${card.id}/runs`, body)).body
const finish = (run: { id: string }, status = 'succeeded') =>
  workspace.call('PATCH', `/runs/${run.id}`, { status })
const runsOf = async (card: Card) =>
  (await workspace.call<{ items: { status: string }[] }>('GET', `/tasks/${card.id}/runs`)).body.items
const feedOf = async (card: Card) => {
  const { body } = await workspace.call<{ items: Entry[] }>('GET', `/activity/boards/${board.id}?limit=200`)
  return body.items.filter(({ task_id }) => task_id === card.id)
}
const agentCalled = async (agent: string): Promise<BoardWorkspace> => {
  const path = `/api/v1/brands/${workspace.owner.brand_id}/tokens`
  const order = json({ name: agent, scopes: [], agent }, { cookie: workspace.owner.cookie })
  const { token } = (await (await server.get(path, order)).json()) as { token: string }
  return workspace.as(token)
}

test('K5: a worker that gave its card back writes nothing more under that claim', async () => {
  const card = await workspace.card(board)
  const held = await claim(card, { worker: 'one' })
  expect((await workspace.call('POST', `/tasks/${card.id}/release`, held)).status).toBe(200)
  const late = await workspace.patch(card, { title: 'Late', claim_epoch: held.epoch })
  expect(late.status).toBe(409)
  expect(await workspace.read(card)).toMatchObject({ title: 'A card', claim_epoch: held.epoch + 1 })
})

test('K5 K14: a lease that ended takes its run along, and what comes late is refused', async () => {
  const card = await workspace.card(board)
  const held = await claim(card, { worker: 'one', lease_seconds: 60 })
  const run = await start(card, { epoch: held.epoch, worker: 'one' })
  await clock.advance(61_000)
  expect((await workspace.patch(card, { title: 'Late', claim_epoch: held.epoch })).status).toBe(409)
  expect((await finish(run)).status).toBe(409)
  await claim(card, { worker: 'two' })
  expect((await finish(run)).status).toBe(409)
  expect(await runsOf(card)).toMatchObject([{ status: 'lost' }])
  expect(await workspace.read(card)).toMatchObject({ title: 'A card', last_run_status: 'lost' })
})

test('K5: an older run that ends late does not stand on the card as its last', async () => {
  const card = await workspace.card(board)
  const [older, newer] = [await start(card), await start(card)]
  await finish(newer)
  expect((await finish(older, 'failed')).status).toBe(200)
  expect(await workspace.read(card)).toMatchObject({ last_run_id: newer.id, last_run_status: 'succeeded' })
})

test('K14: putting a card away respects the claim it is said to be done under, and ends a claim', async () => {
  const card = await workspace.card(board)
  const first = await claim(card, { worker: 'one' })
  await workspace.call('POST', `/tasks/${card.id}/release`, first)
  const second = await claim(card, { worker: 'two' })
  const archive = (claim_epoch: number) =>
    workspace.call('POST', `/tasks/${card.id}/archive`, { claim_epoch })
  expect((await archive(first.epoch)).status).toBe(409)
  expect(await workspace.read(card)).toMatchObject({ archived_at: null })
  expect((await archive(second.epoch)).status).toBe(200)
  expect(await workspace.read(card)).toMatchObject({ claim: null })
})

test('K14: a card that is done is held by nobody; who ended it under its claim may still end its run', async () => {
  const own = await workspace.card(board)
  const held = await claim(own, { worker: 'one' })
  const run = await start(own, { epoch: held.epoch, worker: 'one' })
  expect((await workspace.patch(own, { status: 'done', claim_epoch: held.epoch })).status).toBe(200)
  expect(await workspace.read(own)).toMatchObject({ claim: null })
  expect((await finish(run)).status).toBe(200)
  const other = await workspace.card(board)
  const taken = await claim(other, { worker: 'one' })
  const cut = await start(other, { epoch: taken.epoch, worker: 'one' })
  await workspace.move(other, { column: 'Done' })
  expect(await workspace.read(other)).toMatchObject({ claim: null, last_run_status: 'lost' })
  expect((await finish(cut)).status).toBe(409)
})

test('K14: the feed says that a lease has ended, when the next write notices it', async () => {
  const card = await workspace.card(board)
  const { epoch } = await claim(card, { worker: 'one', lease_seconds: 60 })
  await clock.advance(61_000)
  await workspace.call('POST', `/tasks/${card.id}/comments`, { body: 'Who works on this?' })
  expect((await feedOf(card)).map(({ action }) => action)).toEqual([
    'task.commented',
    'task.claim_expired',
    'task.claimed',
    'task.created',
  ])
  const [, expired] = await feedOf(card)
  expect(expired).toMatchObject({ actor: { kind: 'system' }, data: { epoch, holder: { name: 'one' } } })
})

test('K14: the feed says so too when nobody touches the card any more', async () => {
  const [card, done] = [await workspace.card(board), await workspace.card(board)]
  await claim(card, { worker: 'one', lease_seconds: 60 })
  const held = await claim(done, { worker: 'one', lease_seconds: 60 })
  await start(done, { epoch: held.epoch, worker: 'one' })
  await workspace.patch(done, { status: 'done', claim_epoch: held.epoch })
  await server.start('worker', clock.env)
  await clock.advance(180_000)
  await waitFor(
    async () => (await feedOf(card)).some(({ action }) => action === 'task.claim_expired'),
    25_000,
  )
  await waitFor(async () => (await runsOf(done))[0]?.status === 'lost', 25_000)
})

test('K14: a member may take a claim away, and the feed says who did; another agent may not', async () => {
  const [builder, tester] = [await agentCalled('builder'), await agentCalled('tester')]
  const card = await workspace.card(board)
  const held = await claim(card, {}, builder)
  expect((await tester.call('POST', `/tasks/${card.id}/release`, held)).status).toBe(409)
  expect((await workspace.call('POST', `/tasks/${card.id}/release`, held)).status).toBe(200)
  const [released] = await feedOf(card)
  expect(released).toMatchObject({
    action: 'task.released',
    actor: { kind: 'member', id: String(workspace.owner.person_id) },
    data: { reason: 'taken_away', holder: { name: 'builder' } },
  })
  const again = await claim(card, {}, builder)
  await builder.call('POST', `/tasks/${card.id}/release`, again)
  const [own] = await feedOf(card)
  expect(own).toMatchObject({ actor: { kind: 'agent', name: 'builder' }, data: { reason: 'released' } })
})

test('K15: nothing on an archived board is ready, in its queue and on its cards', async () => {
  const away = await workspace.board()
  const card = await workspace.card(away)
  await workspace.call('POST', `/boards/${away.id}/archive`)
  const ready = await workspace.call('GET', `/boards/${away.id}/tasks/ready`)
  expect(ready.body).toEqual({ items: [] })
  expect((await workspace.call('POST', `/boards/${away.id}/tasks/claim-next`, {})).status).toBe(409)
  expect(await workspace.read(card)).toMatchObject({ is_ready: false })
})

test('K17: of two processes of one agent one holds a card, and asking again needs the name of the process', async () => {
  const card = await workspace.card(board)
  const claims = (body: object) =>
    Promise.all(
      Array.from({ length: 20 }, () => workspace.call<Claim>('POST', `/tasks/${card.id}/claim`, body)),
    )
  const nameless = (await claims({})).map(({ status }) => status).sort()
  expect(nameless).toEqual([200, ...Array(19).fill(409)])
  const { claim: held } = (await workspace.read(card)) as unknown as { claim: Claim }
  await workspace.call('POST', `/tasks/${card.id}/release`, { claim_id: held.claim_id, epoch: held.epoch })
  const named = await claims({ process: 'host-1:4711' })
  expect(new Set(named.map(({ status, body }) => `${status} ${body.claim_id}`)).size).toBe(1)
  const second = await workspace.call('POST', `/tasks/${card.id}/claim`, { process: 'host-2:17' })
  expect(second.status).toBe(409)
})
