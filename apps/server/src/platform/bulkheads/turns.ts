import { bulkheads, type TurnKind } from '#platform/bulkheads/bulkheads.ts'
import { KeyedSemaphore } from '#platform/bulkheads/keyed-semaphore.ts'
import type { Life } from '#platform/bulkheads/life.ts'
import { Outage } from '#platform/outage/outage.ts'

export interface TurnWaits {
  /** Waited for a turn without a connection. */
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

/** Keyed by workspace, so that nobody can wait in another workspace's queue. */
export const turnOf = (kind: TurnKind, brandId: number, id: string): Turn => ({
  kind,
  key: `${kind}:${brandId}:${id}`,
})

/** Thrown when a transaction would have to wait for a turn: it releases its connection and waits outside. */
export class NotYourTurn extends Error {
  constructor() {
    super('this has to wait for its turn outside of the transaction')
    this.name = 'NotYourTurn'
  }
}

/** More boards than this in one write is a bug, or they keep changing while we look. */
const maxRounds = 16

/** The turns of one transaction, over all of its attempts. */
export class Turns {
  readonly #queues: TurnQueues
  readonly #life: Life | undefined
  readonly #held = new Map<string, Turn>()
  /** Turns to wait for before the next attempt. */
  readonly #wanted = new Map<string, Turn>()

  /** `expected` lists the turns known before the transaction starts. */
  constructor(queues: TurnQueues, life: Life | undefined, expected: readonly Turn[] = []) {
    this.#queues = queues
    this.#life = life
    for (const turn of expected) this.#wanted.set(turn.key, turn)
  }

  /** Retries a transaction until it has all of its turns, and holds them until it ends. */
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

  /** Inside the transaction: returns if it holds these turns, otherwise makes it retry with them. */
  need(turns: readonly Turn[]): void {
    for (const turn of turns) {
      if (this.#held.has(turn.key)) continue
      if (this.#queues[turn.kind].tryEnter(turn.key)) this.#held.set(turn.key, turn)
      else this.#wanted.set(turn.key, turn)
    }
    if (this.#wanted.size > 0) throw new NotYourTurn()
  }

  /** Outside: waits for all known turns, in a global order, so that two transactions cannot deadlock. */
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
