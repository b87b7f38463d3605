import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card } from './board-workspace.ts'

const server = useSharedServer('probe')
const rounds = roundsFor(200, 0.3)
let workspace: BoardWorkspace
let boards: Board[]
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  boards = [await workspace.board(), await workspace.board()]
})

/** Whether one comes back to a card by going on from it. */
async function isInCircle(card: Card, kind: string): Promise<boolean> {
  const rows = await server.sql<{ found: boolean }>(
    `with recursive way as (
       select other_id as id from boards.relations where card_id = $1 and kind = $2
       union
       select r.other_id from boards.relations r join way on way.id = r.card_id where r.kind = $2
     )
     select exists (select 1 from way where id = $1) as found`,
    [card.id, kind],
  )
  return rows[0]?.found === true
}

type Relate = (card: Card, other: Card) => Promise<number>

/** So many cards in a ring, each related to the next at the same moment. Cards of two boards take turns. */
const raceOf = (size: number, kind: string, relate: Relate) =>
  race({
    rounds,
    clients: size,
    async setup() {
      const cards: Card[] = []
      for (let n = 0; n < size; n += 1) {
        const board = boards[n % 2]
        if (board) cards.push(await workspace.card(board))
      }
      return cards
    },
    act(cards, at) {
      const [card, next] = [cards[at], cards[(at + 1) % size]]
      if (!card || !next) throw new Error('there are too few cards')
      return relate(card, next)
    },
    async verdict(cards, outcomes) {
      const answers = outcomes.map((each) => (each.status === 'fulfilled' ? each.value : 0))
      const [first] = cards
      if (first && (await isInCircle(first, kind))) return `a circle, answers ${answers}`
      const refused = answers.filter((status) => status === 409).length
      const made = answers.filter((status) => status === 200).length
      return refused === 1 && made === size - 1 ? undefined : `no circle, answers ${answers}`
    },
  })

test.each([
  [2, 'blocks'],
  [2, 'parent'],
  [3, 'blocks'],
])(
  `%i relations (%s) that would make a circle together: one is refused and there is none, ${rounds} rounds`,
  async (size, kind) => {
    const result = await raceOf(size, kind, async (card, next) => {
      const { status } = await workspace.call('PUT', `/tasks/${card.id}/relations/${kind}/${next.id}`)
      return status
    })
    expect(result).toEqual({ rounds, wrong: 0, examples: [] })
  },
  120_000,
)

test('a twin that looks and then writes makes circles', async () => {
  const result = await raceOf(2, 'blocks', async (card, next) => {
    const response = await server.get(`/api/v1/probe/naive/tasks/${card.id}/blocks/${next.id}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${workspace.token}` },
    })
    await response.text()
    return response.status
  })
  console.log(`naive twin: ${result.wrong} of ${result.rounds} rounds wrong, such as ${result.examples[0]}`)
  expect(result.examples.some((example) => example.includes('a circle'))).toBe(true)
})
