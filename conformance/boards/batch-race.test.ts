import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card } from './board-workspace.ts'

// A database of its own, because Postgres counts deadlocks for each.
const server = useServer('probe')
/** The twin loses nearly every round. */
const rounds = roundsFor(200, 0.35)
let workspace: BoardWorkspace
let left: Board
let right: Board
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  left = await workspace.board()
  right = await workspace.board()
})

interface Side {
  readonly board: Board
  /** Cards that nobody waits for. */
  readonly plain: readonly Card[]
  /** A card of the other board waits for it. */
  readonly blocker: Card
}
type Sides = readonly [Side, Side]

async function sides(): Promise<Sides> {
  const side = async (board: Board): Promise<Side> => ({
    board,
    plain: [await workspace.card(board), await workspace.card(board)],
    blocker: await workspace.card(board),
  })
  const [a, b] = [await side(left), await side(right)]
  await workspace.call('PUT', `/tasks/${a.blocker.id}/relations/blocks/${b.plain[0]?.id}`)
  await workspace.call('PUT', `/tasks/${b.blocker.id}/relations/blocks/${a.plain[0]?.id}`)
  return [a, b]
}

async function deadlocks(): Promise<number> {
  const [row] = await server.sql<{ deadlocks: number }>(
    'select deadlocks::int from pg_stat_database where datname = current_database()',
  )
  return row?.deadlocks ?? Number.NaN
}

test(`batches over the same cards in opposite order, on boards whose cards wait for each other, never lock each other out, ${rounds} rounds`, {
  timeout: 240_000,
}, async () => {
  const before = await deadlocks()
  const result = await race({
    rounds,
    clients: 4,
    setup: sides,
    async act(both, client) {
      const { board, plain, blocker } = both[client % 2] as Side
      const titles = plain.map(({ id: task_id }) => ({
        op: 'change',
        task_id,
        change: { title: `${client}` },
      }))
      const ends = [{ op: 'change', task_id: blocker.id, change: { status: 'done' } }]
      const operations = client < 2 ? [...titles, ...ends] : [...ends, ...titles.toReversed()]
      const answer = await workspace.call<{ results: { status: number }[] }>(
        'POST',
        `/boards/${board.id}/tasks:batch`,
        { operations },
      )
      return [answer.status, ...answer.body.results.map(({ status }) => status)].join()
    },
    async verdict(both, outcomes) {
      const answers = outcomes.map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason)))
      if (answers.some((each) => each !== '207,200,200,200')) return `answers ${answers.join(' ')}`
      for (const { plain } of both) {
        const { open_blockers } = await workspace.read(plain[0] as Card)
        if (open_blockers !== 0) return 'a card still waits'
      }
      return undefined
    },
  })
  expect(result).toEqual({ rounds, wrong: 0, examples: [] })
  expect(await deadlocks()).toBe(before)
})

test('a twin that locks the board of each card in its turn runs into deadlocks', {
  timeout: 240_000,
}, async () => {
  const before = await deadlocks()
  const result = await race({
    rounds,
    isTwin: true,
    clients: 2,
    setup: sides,
    async act(both, client) {
      const [first, second] = [both[client], both[1 - client]] as [Side, Side]
      const path = `/api/v1/probe/naive/tasks/${first.blocker.id}/then/${second.plain[0]?.id}`
      const headers = { authorization: `Bearer ${workspace.token}` }
      const response = await server.get(path, { method: 'PUT', headers })
      return ((await response.json()) as { attempts: number }).attempts
    },
    async verdict(_, outcomes) {
      const attempts = outcomes.map((each) => (each.status === 'fulfilled' ? each.value : 'failed'))
      return attempts.every((each) => each === 1) ? undefined : `attempts ${attempts.join()}`
    },
  })
  console.log(`naive twin: ${result.wrong} of ${result.rounds} rounds wrong, such as ${result.examples[0]}`)
  expect(result.wrong).toBeGreaterThan(0)
  // The measure of the test above sees them.
  await waitFor(async () => (await deadlocks()) > before, 30_000)
})
