import { race } from '@crewhall/testkit/race.ts'
import { roundsFor, scaled } from '@crewhall/testkit/rounds.ts'
import { seededRandom } from '@crewhall/testkit/seeded-random.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { verifyData } from '@crewhall/testkit/verify-data.ts'
import { createVirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card } from './board-workspace.ts'
import { recountOf, sumsOf } from './sums-recount.ts'

const server = useServer('probe')
const changes = scaled(10_000, 240)
const writers = 8
/** The twin loses nearly every round. */
const rounds = roundsFor(100, 0.5)
const seed = Number(process.env.SUMS_SEED ?? Date.now() % 2 ** 31)

let workspace: BoardWorkspace
let boards: Board[]
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  boards = [await workspace.board(), await workspace.board(), await workspace.board()]
})

/** Whole numbers that a seed decides. */
function randomOf(seed: number): (below: number) => number {
  const random = seededRandom(seed)
  return (below) => Math.floor(random() * below)
}

const statuses = ['pending', 'in_progress', 'review', 'done', 'done', 'done']
const cards: Card[] = []
const runs: string[] = []

/** One change of a card or run that any writer may know. What has ended meanwhile is refused, and changes nothing. */
async function change(random: (below: number) => number): Promise<number> {
  const one = <T>(of: readonly T[]): T => of[random(of.length)] as T
  const worker = one([
    null,
    { kind: 'member', id: String(workspace.owner.person_id) },
    { kind: 'agent', id: one(['ada', 'bob']), name: 'An agent' },
  ])
  const usage = { tokens: random(1000), cost_micros: random(5000) }
  const call = (method: string, path: string, body?: object) => workspace.call<Card>(method, path, body)
  const card = one(cards)
  const kind = card ? random(12) : 0
  if (kind === 0 || !card) {
    const made = await call('POST', `/boards/${one(boards).id}/tasks`, {
      title: 'A card',
      status: one(statuses),
      ...(random(2) ? { assignee: worker } : { delegate: worker }),
    })
    cards.push(made.body)
    return made.status
  }
  if (kind < 5) return (await call('PATCH', `/tasks/${card.id}`, { status: one(statuses) })).status
  if (kind === 5) return (await call('PATCH', `/tasks/${card.id}`, { assignee: worker })).status
  if (kind === 6) return (await call('PATCH', `/tasks/${card.id}`, { delegate: worker })).status
  if (kind === 7) return (await call('POST', `/tasks/${card.id}/${one(['archive', 'restore'])}`)).status
  if (kind === 8) {
    const started = await call('POST', `/tasks/${card.id}/runs`, { worker: one(['ada', 'eve']) })
    if (started.status === 201) runs.push(started.body.id)
    return started.status
  }
  const run = runs.length > 0 ? one(runs) : undefined
  if (kind === 9 && run) {
    const body = { status: 'succeeded', usage, change: { status: one(statuses) } }
    return (await call('POST', `/runs/${run}:finish`, body)).status
  }
  if (kind === 10 && run) return (await call('PATCH', `/runs/${run}`, { usage })).status
  const operations = [0, 1, 2].map(() => ({
    op: 'create',
    task: { title: 'One of many', status: one(statuses) },
  }))
  return (await call('POST', `/boards/${one(boards).id}/tasks:batch`, { operations })).status
}

test(`sums equal a full recount after ${changes} random changes by ${writers} writers over three weeks`, {
  timeout: 1_200_000,
}, async () => {
  console.log(`seed ${seed}`)
  const clock = createVirtualClock(server.database.name)
  const answers = new Map<number, number>()
  try {
    for (let phase = 0; phase < 4; phase += 1) {
      await Promise.all(
        Array.from({ length: writers }, async (_, writer) => {
          const random = randomOf(seed + phase * 100 + writer)
          for (let n = 0; n < changes / writers / 4; ) {
            const status = await change(random)
            answers.set(status, (answers.get(status) ?? 0) + 1)
            if (status < 300) n += 1
          }
        }),
      )
      expect(await sumsOf(workspace)).toEqual(await recountOf(server, workspace.owner.brand_id))
      await clock.advance(5 * 24 * 3600_000)
    }
  } finally {
    clock.close()
  }
  console.log([...answers].map(([status, count]) => `${count} × ${status}`).join(', '))
  expect([...answers.keys()].filter((status) => status >= 500)).toEqual([])
  const { code, output } = await verifyData(server.database.url)
  expect([code, output]).toEqual([0, expect.stringContaining('derived columns are correct')])
})

test('a twin that writes back what it has read loses cards', { timeout: 240_000 }, async () => {
  const result = await race({
    rounds,
    isTwin: true,
    clients: writers,
    async setup() {
      const board = await workspace.board()
      await workspace.card(board, { status: 'done' })
      return board
    },
    act: ({ id }) => {
      const headers = { authorization: `Bearer ${workspace.token}` }
      return server.get(`/api/v1/probe/naive/boards/${id}/sums`, { method: 'PUT', headers })
    },
    async verdict({ id }) {
      const [row] = await server.sql<{ cards_done: number }>(
        'select cards_done from boards.sums where board_id = $1',
        [id],
      )
      return row?.cards_done === writers + 1 ? undefined : `${row?.cards_done} of ${writers + 1} cards`
    },
  })
  console.log(`naive twin: ${result.wrong} of ${result.rounds} rounds wrong, such as ${result.examples[0]}`)
  expect(result.wrong).toBeGreaterThan(0)
})
