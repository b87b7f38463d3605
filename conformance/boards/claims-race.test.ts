import { race } from '@crewhall/testkit/race.ts'
import { roundsFor, scaled } from '@crewhall/testkit/rounds.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card } from './board-workspace.ts'

const server = useSharedServer('probe')
let workspace: BoardWorkspace
let board: Board
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  board = await workspace.board()
})

const clients = 50
/** The twin loses about four rounds of five. */
const rounds = roundsFor(20, 0.5)
const lateRounds = scaled(200, 40)

/** The same race for both: 50 workers want one card. */
const raceFor = (claim: (card: Card, worker: string) => Promise<number>) =>
  race({
    rounds,
    clients,
    setup: () => workspace.card(board),
    act: (card, client) => claim(card, `worker ${client}`),
    async verdict(card, outcomes) {
      const answers = outcomes.map((each) => (each.status === 'fulfilled' ? each.value : 0))
      const won = answers.filter((status) => status === 200).length
      const refused = answers.filter((status) => status === 409).length
      const { claim_epoch } = await workspace.read(card)
      if (won === 1 && refused === clients - 1 && claim_epoch === 1) return undefined
      return `${won} won, ${refused} refused, epoch ${claim_epoch}`
    },
  })

test('of 50 claims at once one wins, and the other 49 hear who holds the card', async () => {
  const result = await raceFor(async (card, worker) => {
    const { status, body } = await workspace.call<{ detail?: { holder?: { name: string } } }>(
      'POST',
      `/tasks/${card.id}/claim`,
      { worker },
    )
    if (status === 409 && !/^worker \d+$/.test(body.detail?.holder?.name ?? '')) return 0
    return status
  })
  expect(result).toEqual({ rounds, wrong: 0, examples: [] })
})

test('a twin that looks and then takes gives one card to many', async () => {
  const result = await raceFor(async (card, worker) => {
    const response = await server.get(`/api/v1/probe/naive/tasks/${card.id}/claim`, {
      method: 'POST',
      headers: { authorization: `Bearer ${workspace.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ worker }),
    })
    await response.text()
    return response.status
  })
  console.log(`naive twin: ${result.wrong} of ${result.rounds} rounds wrong, such as ${result.examples[0]}`)
  expect(result.wrong).toBeGreaterThan(0)
})

test(`a worker that comes back late never writes over the one that has the card now, ${lateRounds} rounds`, async () => {
  const result = await race({
    rounds: lateRounds,
    clients: 2,
    async setup() {
      const card = await workspace.card(board)
      const claim = (worker: string) =>
        workspace.call<{ claim_id: string; epoch: number }>('POST', `/tasks/${card.id}/claim`, { worker })
      const { body } = await claim('late')
      await workspace.call('POST', `/tasks/${card.id}/release`, body)
      await claim('present')
      return card
    },
    act: (card, client) =>
      workspace.patch(card, {
        title: client === 0 ? 'By the late one' : 'By the present one',
        // Releasing raises it as well as claiming (K5).
        claim_epoch: client === 0 ? 1 : 3,
      }),
    async verdict(card, outcomes) {
      const statuses = outcomes.map((each) =>
        each.status === 'fulfilled' ? (each.value as { status: number }).status : 0,
      )
      const { title } = await workspace.read(card)
      const isRight = String(statuses) === '409,200' && title === 'By the present one'
      return isRight ? undefined : `answers ${statuses}, title ${title}`
    },
  })
  expect(result).toEqual({ rounds: lateRounds, wrong: 0, examples: [] })
})
