import { scaled } from './rounds.ts'

export interface RaceOptions<Setup> {
  readonly rounds: number
  /** The side that must lose: it goes on until it has lost once, for ten times the rounds at most. */
  readonly isTwin?: boolean
  readonly clients: number
  /** Makes the state one round starts from. */
  setup(round: number): Promise<Setup>
  /** What each client does; all of them start together. */
  act(setup: Setup, client: number): Promise<unknown>
  /** Looks at the state afterwards and says what is wrong, if anything. */
  verdict(setup: Setup, outcomes: readonly PromiseSettledResult<unknown>[]): Promise<string | undefined>
}

export interface RaceResult {
  /** Rounds that were run: fewer than asked for if it was lost early, more if a twin was not. */
  readonly rounds: number
  readonly wrong: number
  /** What was wrong, for the first few wrong rounds. */
  readonly examples: readonly string[]
}

/** So many wrong rounds are enough for the gate; the full run counts them all. */
const enough = scaled(Number.POSITIVE_INFINITY, 5)
const enough_of_a_twin = scaled(Number.POSITIVE_INFINITY, 1)

/**
 * n clients, r rounds, over whatever `act` uses (real HTTP in tests of routes). Run the same race against
 * a deliberately naive twin as well: a race test that has never seen a race proves nothing.
 */
export async function race<Setup>(options: RaceOptions<Setup>): Promise<RaceResult> {
  const examples: string[] = []
  let wrong = 0
  let round = 0
  const limit = options.isTwin ? enough_of_a_twin : enough
  const goesOn = () =>
    wrong < limit &&
    (round < options.rounds || (options.isTwin === true && wrong === 0 && round < options.rounds * 10))
  for (; goesOn(); round += 1) {
    const setup = await options.setup(round)
    const clients = Array.from({ length: options.clients }, (_, client) => client)
    const outcomes = await Promise.allSettled(clients.map((client) => options.act(setup, client)))
    const fault = await options.verdict(setup, outcomes)
    if (fault === undefined) continue
    wrong += 1
    if (examples.length < 5) examples.push(`round ${round}: ${fault}`)
  }
  return { rounds: round, wrong, examples }
}
