import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card } from './board-workspace.ts'

const server = useSharedServer('probe')
/** The twin loses about three rounds of four. */
const rounds = roundsFor(200, 0.35)
let workspace: BoardWorkspace
let boards: Board[]
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  boards = []
  for (let n = 0; n < 4; n += 1) boards.push(await workspace.board())
})

const boardAt = (at: number): Board => {
  const board = boards[at]
  if (!board) throw new Error('there are too few boards')
  return board
}

async function blockedBy(card: Card, blocker: Card): Promise<number> {
  const { status } = await workspace.call('PUT', `/tasks/${blocker.id}/relations/blocks/${card.id}`)
  return status
}

interface Round {
  readonly waiting: Card
  readonly blockers: readonly Card[]
}

/** A card on the first board, and a blocker on each of so many others. */
async function round(count: number): Promise<Round> {
  const waiting = await workspace.card(boardAt(0))
  const blockers: Card[] = []
  for (let n = 1; n <= count; n += 1) {
    const blocker = await workspace.card(boardAt(n))
    await blockedBy(waiting, blocker)
    blockers.push(blocker)
  }
  return { waiting, blockers }
}

async function unblockedTimes(card: Card): Promise<number> {
  const rows = await server.sql<{ count: number }>(
    `select count(*)::int as count from boards.activity
     where board_id = $1 and card_id = $2 and action = 'task.unblocked'`,
    [boardAt(0).id, card.id],
  )
  return rows[0]?.count ?? 0
}

const endAll = (count: number, end: (card: Card) => Promise<number>) =>
  race({
    rounds,
    clients: count,
    setup: () => round(count),
    act({ blockers }, at) {
      const blocker = blockers[at]
      if (!blocker) throw new Error('there are too few cards')
      return end(blocker)
    },
    async verdict({ waiting }, outcomes) {
      const answers = outcomes.map((each) => (each.status === 'fulfilled' ? each.value : 0))
      if (answers.some((status) => status !== 200)) return `answers ${answers}`
      const { open_blockers, is_ready } = await workspace.read(waiting)
      return open_blockers === 0 && is_ready === true ? undefined : `${open_blockers} blockers are left`
    },
  })

const end = async (card: Card) => (await workspace.patch(card, { status: 'done' })).status

test.each([2, 3])(
  `K1: blockers on %i boards that end at once leave the card that waits ready, and its feed says so once, ${rounds} rounds`,
  async (count) => {
    expect(await endAll(count, end)).toEqual({ rounds, wrong: 0, examples: [] })
    const rows = await server.sql<{ times: number; cards: number }>(
      `select times, count(*)::int as cards from (
         select count(a.id)::int as times from boards.cards c
         left join boards.activity a on a.board_id = c.board_id and a.card_id = c.id and a.action = 'task.unblocked'
         where c.board_id = $1 and cardinality(c.blocked_by) = $2 group by c.id) n
       group by times`,
      [boardAt(0).id, count],
    )
    expect(rows).toEqual([{ times: 1, cards: rounds }])
  },
  240_000,
)

test(`K1: a blocker that ends while another is added on a third board, ${rounds} rounds`, async () => {
  const result = await race({
    rounds,
    clients: 2,
    async setup() {
      const { waiting, blockers } = await round(1)
      return { waiting, blockers: [...blockers, await workspace.card(boardAt(2))] }
    },
    async act({ waiting, blockers: [first, second] }, at) {
      if (!first || !second) throw new Error('there are too few cards')
      return at === 0 ? end(first) : blockedBy(waiting, second)
    },
    async verdict({ waiting, blockers }, outcomes) {
      const answers = outcomes.map((each) => (each.status === 'fulfilled' ? each.value : 0))
      if (answers.some((status) => status !== 200)) return `answers ${answers}`
      const { open_blockers, blocked_by } = await workspace.read(waiting)
      const ids = blockers.map(({ id }) => id).sort()
      const told = [...(blocked_by as string[])].sort()
      return open_blockers === 1 && told.join() === ids.join()
        ? undefined
        : `${open_blockers} blockers are left of ${told.length}`
    },
  })
  expect(result).toEqual({ rounds, wrong: 0, examples: [] })
})

test('K1: a twin that locks only the board of the blocker leaves cards waiting for ever', async () => {
  const result = await endAll(2, async (card) => {
    const response = await server.get(`/api/v1/probe/naive/tasks/${card.id}/done`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${workspace.token}` },
    })
    await response.text()
    return response.status
  })
  console.log(`naive twin: ${result.wrong} of ${result.rounds} rounds wrong, such as ${result.examples[0]}`)
  expect(result.examples.some((example) => example.includes('1 blockers are left'))).toBe(true)
})

test('K1: the feed of its board says that a card is free, whatever freed it and wherever that was', async () => {
  const archived = await round(1)
  await workspace.call('POST', `/tasks/${archived.blockers[0]?.id}/archive`)
  expect(await unblockedTimes(archived.waiting)).toBe(1)
  const unrelated = await round(1)
  await workspace.call(
    'DELETE',
    `/tasks/${unrelated.waiting.id}/relations/blocked_by/${unrelated.blockers[0]?.id}`,
  )
  expect(await unblockedTimes(unrelated.waiting)).toBe(1)
  const half = await round(2)
  const [first] = half.blockers
  if (first) await end(first)
  expect(await unblockedTimes(half.waiting)).toBe(0)
})

test('K11: what blocks a card can be taken away when it lies on an archived board', async () => {
  const waiting = await workspace.card(boardAt(0))
  const away = await workspace.board()
  const blocker = await workspace.card(away)
  await blockedBy(waiting, blocker)
  await workspace.call('POST', `/boards/${away.id}/archive`)
  const path = `/tasks/${waiting.id}/relations/blocked_by/${blocker.id}`
  expect((await workspace.call('DELETE', path)).status).toBe(200)
  expect((await workspace.read(waiting)).open_blockers).toBe(0)
  expect((await workspace.call('PUT', path)).status).toBe(409)
})
