import { bulkheads, type TurnKind } from '#platform/bulkheads/bulkheads.ts'
import { KeyedSemaphore } from '#platform/bulkheads/keyed-semaphore.ts'
import type { Life } from '#platform/bulkheads/life.ts'
import { Outage } from '#platform/outage/outage.ts'

export interface TurnWaits {
  /** Waited for a turn, without a connection. */
  queued(kind: TurnKind, seconds: number): void
  /** Waited for the lock itself, with one. */
  locked(kind: TurnKind, seconds: number): void
}

export type TurnQueues = Readonly<Record<TurnKind, KeyedSemaphore<string>>> & { readonly waits: TurnWaits }

export const createTurnQueues = (wait_ms: number, waits: TurnWaits): TurnQueues => ({
  board: new KeyedSemaphore({ ...bulkheads.turns.board, wait_ms }, (seconds) =>
    waits.queued('board', seconds),
  ),
  waits,
})

export interface Turn {
  readonly kind: TurnKind
  readonly key: string
}

/** Ids of another workspace are other turns: nobody can stand in a queue that is not theirs. */
export const turnOf = (kind: TurnKind, brandId: number, id: string): Turn => ({
  kind,
  key: `${kind}:${brandId}:${id}`,
})

/** Thrown inside a transaction that would have to wait for a turn: it gives its connection back and waits outside. */
export class NotYourTurn extends Error {
  constructor() {
    super('this has to wait for its turn outside of the transaction')
    this.name = 'NotYourTurn'
  }
}

/** More boards than this in one write is a mistake, or somebody who moves them about while we look. */
const maxRounds = 16

/** The turns of one transaction, over all of its attempts. */
export class Turns {
  readonly #queues: TurnQueues
  readonly #life: Life | undefined
  readonly #held = new Map<string, Turn>()
  /** What has to be waited for before the next attempt. */
  readonly #wanted = new Map<string, Turn>()

  /** `expected` is what will be needed, as far as it is known before the transaction begins. */
  constructor(queues: TurnQueues, life: Life | undefined, expected: readonly Turn[] = []) {
    this.#queues = queues
    this.#life = life
    for (const turn of expected) this.#wanted.set(turn.key, turn)
  }

  /** Attempts a transaction until it has all of its turns, and holds them until its end. */
  async over<T>(attempt: () => Promise<T>): Promise<T> {
    try {
      for (let round = 1; ; round += 1) {
        if (this.#wanted.size > 0) await this.#wait()
        try {
          return await attempt()
        } catch (error) {
          if (!(error instanceof NotYourTurn)) throw error
          if (round === maxRounds) throw new Outage('database', 'overloaded')
        }
      }
    } finally {
      this.#leave()
    }
  }

  /** Inside the transaction: has these turns, or the transaction has to come back with it. */
  need(turns: readonly Turn[]): void {
    for (const turn of turns) {
      if (this.#held.has(turn.key)) continue
      if (this.#queues[turn.kind].tryEnter(turn.key)) this.#held.set(turn.key, turn)
      else this.#wanted.set(turn.key, turn)
    }
    if (this.#wanted.size > 0) throw new NotYourTurn()
  }

  /** Outside: waits for all turns that are known to be needed, in one order for everybody, so that no two can cross. */
  async #wait(): Promise<void> {
    for (const [key, turn] of this.#held) this.#wanted.set(key, turn)
    this.#leave()
    const inOrder = [...this.#wanted.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
    for (const turn of inOrder) {
      await this.#queues[turn.kind].enter(turn.key, this.#life)
      this.#held.set(turn.key, turn)
    }
    this.#wanted.clear()
  }

  #leave(): void {
    for (const { kind, key } of this.#held.values()) this.#queues[kind].leave(key)
    this.#held.clear()
  }
}
