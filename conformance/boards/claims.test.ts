import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card } from './board-workspace.ts'

const server = useSharedServer('product')
let workspace: BoardWorkspace
let other: BoardWorkspace
let board: Board
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  other = await BoardWorkspace.open(server)
  board = await workspace.board()
})

interface Claim {
  claim_id: string
  task_id: string
  epoch: number
  expires_at: string
  holder: { kind: string; name: string; on_behalf_of: { id: string } | null }
}
interface Lost {
  detail: { error: string; holder: { name: string } | null; epoch: number }
}
const claim = (card: Card, body: object = {}) =>
  workspace.call<Claim & Lost>('POST', `/tasks/${card.id}/claim`, body)
const send = (card: Card, verb: string, body: object) =>
  workspace.call<Claim & Lost>('POST', `/tasks/${card.id}/${verb}`, body)

test('a card is claimed with a lease and an epoch, and says who works on it', async () => {
  const card = await workspace.card(board)
  const { status, body } = await claim(card, { worker: 'builder', lease_seconds: 60 })
  expect(status).toBe(200)
  expect(body).toMatchObject({ task_id: card.id, epoch: 1, holder: { kind: 'agent', name: 'builder' } })
  expect(body.holder.on_behalf_of).toMatchObject({ id: String(workspace.owner.person_id) })
  const held = await workspace.read(card)
  expect(held).toMatchObject({
    claim_epoch: 1,
    is_ready: false,
    claim: { claim_id: body.claim_id, epoch: 1 },
  })
})

test('whoever holds a card keeps it for longer; somebody else hears who holds it', async () => {
  const card = await workspace.card(board)
  const { body: first } = await claim(card, { worker: 'one' })
  const again = await claim(card, { worker: 'one', lease_seconds: 3600 })
  expect(again.body).toMatchObject({ claim_id: first.claim_id, epoch: 1 })
  const refused = await claim(card, { worker: 'two' })
  expect(refused.status).toBe(409)
  expect(refused.body.detail).toMatchObject({ error: 'already_claimed', holder: { name: 'one' }, epoch: 1 })
})

test('a heartbeat and a release need the claim that holds', async () => {
  const card = await workspace.card(board)
  const { body } = await claim(card)
  const { claim_id, epoch } = body
  expect((await send(card, 'heartbeat', { claim_id, epoch })).status).toBe(200)
  expect((await send(card, 'heartbeat', { claim_id, epoch: 2 })).status).toBe(409)
  expect((await send(card, 'release', { claim_id: card.id, epoch })).status).toBe(409)
  expect((await send(card, 'release', { claim_id, epoch })).status).toBe(200)
  expect((await send(card, 'release', { claim_id, epoch })).status).toBe(409)
  expect(await workspace.read(card)).toMatchObject({ claim: null, is_ready: true })
})

test('a write with the epoch of an earlier claim is refused and changes nothing', async () => {
  const card = await workspace.card(board)
  const { body: first } = await claim(card, { worker: 'one' })
  await send(card, 'release', first)
  const { body: second } = await claim(card, { worker: 'two' })
  expect(second.epoch).toBe(3)
  const before = await workspace.read(card)
  const stale = await workspace.patch<Lost>(card, { title: 'Late', claim_epoch: 1 })
  expect(stale.status).toBe(409)
  expect(stale.body.detail).toMatchObject({ error: 'claim_lost', holder: { name: 'two' }, epoch: 3 })
  expect((await send(card, 'move', { column: 'Done', claim_epoch: 1 })).status).toBe(409)
  expect((await send(card, 'runs', { epoch: 1 })).status).toBe(409)
  expect(await workspace.read(card)).toEqual(before)
  expect((await workspace.patch(card, { title: 'In time', claim_epoch: 3 })).status).toBe(200)
})

test('what is over, blocked or archived is not claimed', async () => {
  const [done, waits, first, away] = [
    await workspace.card(board, { status: 'done' }),
    await workspace.card(board),
    await workspace.card(board),
    await workspace.card(board),
  ]
  await workspace.call('PUT', `/tasks/${first.id}/relations/blocks/${waits.id}`)
  await workspace.call('POST', `/tasks/${away.id}/archive`)
  for (const card of [done, waits, away]) expect((await claim(card)).status).toBe(409)
})

test('the ready queue holds what may be taken, in the order of the board, and claim-next takes its first', async () => {
  const own = await workspace.board()
  const [a, b, c] = [await workspace.card(own), await workspace.card(own), await workspace.card(own)]
  await workspace.card(own, { status: 'done' })
  await workspace.call('PUT', `/tasks/${b.id}/relations/blocks/${a.id}`)
  const ready = await workspace.call<{ items: Card[] }>('GET', `/boards/${own.id}/tasks/ready`)
  expect(ready.body.items.map(({ id }) => id)).toEqual([b.id, c.id])
  const take = () => workspace.call<{ task: Card | null }>('POST', `/boards/${own.id}/tasks/claim-next`, {})
  expect((await take()).body.task?.id).toBe(b.id)
  expect((await take()).body.task?.id).toBe(c.id)
  expect((await take()).body).toEqual({ claim: null, task: null })
})

test('cards of another workspace are not found', async () => {
  const foreign = await other.card(await other.board())
  expect((await claim(foreign)).status).toBe(404)
  expect((await send(foreign, 'heartbeat', { claim_id: foreign.id, epoch: 1 })).status).toBe(404)
})

const rounds = roundsFor(200, 0.4)

// Its naive twin stands in claims-race.test.ts.
test(`50 claims of one card at once have one winner, ${rounds} rounds`, async () => {
  const own = await workspace.board()
  const result = await race({
    rounds,
    clients: 50,
    setup: () => workspace.card(own),
    act: (card, client) => claim(card, { worker: `worker ${client}` }),
    async verdict(card, outcomes) {
      const answers = outcomes.map((each) =>
        each.status === 'fulfilled' ? (each.value as { status: number }).status : 0,
      )
      const won = answers.filter((status) => status === 200).length
      const refused = answers.filter((status) => status === 409).length
      const { claim_epoch } = await workspace.read(card)
      if (won === 1 && refused === 49 && claim_epoch === 1) return undefined
      return `${won} won, ${refused} refused, epoch ${claim_epoch}`
    },
  })
  expect(result).toEqual({ rounds, wrong: 0, examples: [] })
})

test('agents that take what is next never get one card twice', async () => {
  const own = await workspace.board()
  for (let n = 0; n < 40; n += 1) await workspace.card(own)
  const take = (worker: number) =>
    workspace.call<{ task: Card | null }>('POST', `/boards/${own.id}/tasks/claim-next`, {
      worker: `w${worker}`,
    })
  const taken = await Promise.all(Array.from({ length: 50 }, (_, worker) => take(worker)))
  const ids = taken.flatMap(({ body }) => (body.task ? [body.task.id] : []))
  expect(ids).toHaveLength(40)
  expect(new Set(ids).size).toBe(40)
})

describe('runs', () => {
  interface Run {
    id: string
    number: number
    status: string
  }
  const run = (card: Card, body: object = {}) => workspace.call<Run>('POST', `/tasks/${card.id}/runs`, body)
  const change = (id: string, body: object) => workspace.call<Run>('PATCH', `/runs/${id}`, body)

  test('a run is kept with its usage, and the card adds it up', async () => {
    const card = await workspace.card(board)
    const { status, body: first } = await run(card)
    expect(status).toBe(201)
    await change(first.id, { usage: { tokens: 10, cost_micros: 5 } })
    await change(first.id, { usage: { tokens: 30 }, status: 'failed', reason: 'No luck' })
    const { body: second } = await run(card)
    await change(second.id, { usage: { tokens: 7 }, status: 'succeeded' })
    expect(await workspace.read(card)).toMatchObject({
      runs_count: 2,
      last_run_id: second.id,
      last_run_status: 'succeeded',
      usage_tokens: 37,
      usage_cost_micros: 5,
    })
    const list = await workspace.call<{ items: Run[]; total: number }>('GET', `/tasks/${card.id}/runs`)
    expect(list.body.items.map(({ number, status: end }) => [number, end])).toEqual([
      [2, 'succeeded'],
      [1, 'failed'],
    ])
    expect((await change(first.id, { summary: 'Later' })).status).toBe(409)
  })

  test('the claim of a run ends with it, whatever the reason', async () => {
    const card = await workspace.card(board)
    const { body } = await claim(card, { worker: 'one' })
    const { body: started } = await run(card, { epoch: body.epoch })
    await change(started.id, { status: 'lost' })
    expect(await workspace.read(card)).toMatchObject({ claim: null, is_ready: true })
  })
})
