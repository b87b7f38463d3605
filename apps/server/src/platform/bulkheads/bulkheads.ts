/** How many at a time, how many more may wait for their turn, and for how long. Beyond that: 503 with Retry-After. */
export interface Bulkhead {
  readonly places: number
  readonly waiting: number
  readonly wait_ms: number
}

/** How many go together at most, how large together, how many more may wait for the next time, and for how long. */
export interface Company {
  readonly members: number
  readonly bytes: number
  readonly waiting: number
  readonly wait_ms: number
}

/**
 * Every bound that keeps one caller from stopping another, in one place. They hold within one process and are about
 * its resources; what a caller may do is never decided here. How long a caller waits is a setting, the same for all
 * queues that end at a connection.
 */
export const bulkheads = {
  /**
   * Writers of one board that hold a connection. One has the lock of the board, the others send what comes before it.
   * Whoever comes later waits without a connection. The key is the name that contracts give the thing in a path.
   */
  turns: { board: { places: 3, waiting: 64 } },
  /** Writes of one kind to one thing that go together: those that came while the ones before them were under way. */
  joint: { members: 16, bytes: 65_536, waiting: 64 },
  /** Of the connections of a process, the part that one workspace may hold at a time. */
  workspace: { share_of_pool: 0.6, waiting: 128 },
  /** Senders of webhooks of one worker process: all, those to slow receivers, and those to one receiver. */
  senders: {
    all: { places: 64, kept_free: 16 },
    slow: { places: 24, kept_free: 8 },
    receiver: { places: 16, kept_free: 4 },
  },
  /** Long walks through one snapshot, such as exports: connections of their own, of which a workspace gets one. */
  walks: { pool_size: 2, workspace: { places: 1, waiting: 4 } },
} as const

export type TurnKind = keyof typeof bulkheads.turns
