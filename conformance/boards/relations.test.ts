import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card } from './board-workspace.ts'

const server = useSharedServer('product')
let workspace: BoardWorkspace
let other: BoardWorkspace
let board: Board
let second: Board
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  other = await BoardWorkspace.open(server)
  board = await workspace.board()
  second = await workspace.board()
})

interface Relations {
  items: { kind: string; task: { id: string; ref: string } }[]
}
const relate = (card: Card, kind: string, to: Card, method = 'PUT') =>
  workspace.call<Relations>(method, `/tasks/${card.id}/relations/${kind}/${to.id}`)
const kinds = ({ items }: Relations) => items.map(({ kind, task }) => [kind, task.id])
const cards = async (count: number) => {
  const made: Card[] = []
  for (let n = 0; n < count; n += 1) made.push(await workspace.card(n % 2 === 0 ? board : second))
  return made as [Card, Card, Card]
}

test('a relation is seen from both sides, also over boards, and told on the cards', async () => {
  const [a, b] = await cards(2)
  expect(kinds((await relate(a, 'blocks', b)).body)).toEqual([['blocks', b.id]])
  const seen = await workspace.call<Relations>('GET', `/tasks/${b.id}/relations`)
  expect(kinds(seen.body)).toEqual([['blocked_by', a.id]])
  expect(await workspace.read(b)).toMatchObject({ blocked_by: [a.id], open_blockers: 1, is_ready: false })
  expect(await workspace.read(a)).toMatchObject({ blocks_count: 1, is_ready: true })
})

test('a card is ready when what it waits for is over, and waits again when that is opened', async () => {
  const [a, b] = await cards(2)
  await relate(b, 'blocked_by', a)
  for (const status of ['done', 'canceled']) {
    if (status === 'done') await workspace.patch(a, { status })
    else await workspace.call('POST', `/tasks/${a.id}/archive`)
    expect(await workspace.read(b)).toMatchObject({ open_blockers: 0, is_ready: true })
    if (status === 'done') await workspace.patch(a, { status: 'pending' })
    else await workspace.call('POST', `/tasks/${a.id}/restore`)
    expect(await workspace.read(b)).toMatchObject({ open_blockers: 1, is_ready: false })
  }
})

test('a relation that is there stays, one that is gone stays gone', async () => {
  const [a, b] = await cards(2)
  await relate(a, 'relates', b)
  expect(kinds((await relate(b, 'relates', a)).body)).toEqual([['relates', a.id]])
  expect((await relate(a, 'relates', b, 'DELETE')).body.items).toEqual([])
  expect((await relate(a, 'relates', b, 'DELETE')).body.items).toEqual([])
})

test('no circle of blocks and no circle of parents', async () => {
  const [a, b, c] = await cards(3)
  for (const kind of ['blocks', 'parent']) {
    await relate(a, kind, b)
    await relate(b, kind, c)
    for (const [from, to] of [
      [c, a],
      [b, a],
      [a, a],
    ] as const) {
      const { status, body } = await relate(from, kind, to)
      expect({ status, body }).toEqual({
        status: 409,
        body: { detail: 'This relation would create a cycle' },
      })
    }
  }
  expect(await workspace.read(b)).toMatchObject({ parent_id: a.id, children_count: 1 })
})

test('a card has one parent', async () => {
  const [a, b, c] = await cards(3)
  await relate(a, 'parent', c)
  expect((await relate(b, 'parent', c)).status).toBe(409)
  expect((await relate(c, 'child', a)).status).toBe(200)
})

test('cards of another workspace and unknown kinds are not found', async () => {
  const [a, b] = await cards(2)
  const foreign = await other.card(await other.board())
  expect((await relate(a, 'blocks', foreign)).status).toBe(404)
  expect((await relate(foreign, 'blocks', a)).status).toBe(404)
  expect((await relate(a, 'hates', b)).status).toBe(404)
})

const rounds = roundsFor(200, 0.3)

// Its naive twin stands in relations-race.test.ts.
test(`two that would close a circle together do not both succeed, ${rounds} rounds`, async () => {
  const result = await race({
    rounds,
    clients: 2,
    setup: () => cards(2),
    act: ([a, b], client) => (client === 0 ? relate(a, 'blocks', b) : relate(b, 'blocks', a)),
    async verdict(_, outcomes) {
      const statuses = outcomes.map((each) =>
        each.status === 'fulfilled' ? (each.value as { status: number }).status : 0,
      )
      return String(statuses.sort()) === '200,409' ? undefined : `answers ${statuses}`
    },
  })
  expect(result).toEqual({ rounds, wrong: 0, examples: [] })
})
