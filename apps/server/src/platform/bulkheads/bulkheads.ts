/** How many run at a time, how many more may wait, and for how long. Beyond that: 503 with Retry-After. */
export interface Bulkhead {
  readonly places: number
  readonly waiting: number
  readonly wait_ms: number
}

/** Maximum size of a batch in members and bytes, how many more may wait for the next one, and for how long. */
export interface Company {
  readonly members: number
  readonly bytes: number
  readonly waiting: number
  readonly wait_ms: number
}

/**
 * Every limit that keeps one caller from blocking others, in one place. They protect the resources of one process and
 * are not about permissions. How long a caller waits is a setting, the same for all queues for a connection.
 */
export const bulkheads = {
  /**
   * Writers of one board that hold a connection. One has the lock of the board, the others run what comes before it.
   * Later writers wait without a connection. The key is the name of the resource in contracts.
   */
  turns: { board: { places: 3, waiting: 64 } },
  /** Writes of one kind to one resource that are batched: those that arrived while the previous batch ran. */
  joint: { members: 16, bytes: 65_536, waiting: 64 },
  /** The share of a process's connections that one workspace may hold at a time. */
  workspace: { share_of_pool: 0.6, waiting: 128 },
  /**
   * Requests on a handle of their own may wait for it for long. They are counted apart from all others, in the process
   * and per client network, up to this share of the limits of the others.
   */
  handles: { share_of_requests: 0.5 },
  /** Webhook deliveries in flight per worker process: in total, to slow receivers, and to one receiver. */
  senders: {
    all: { places: 64, kept_free: 16 },
    slow: { places: 24, kept_free: 8 },
    receiver: { places: 16, kept_free: 4 },
  },
  /** Long walks through one snapshot, such as exports: connections of their own, of which a workspace gets one. */
  walks: { pool_size: 2, workspace: { places: 1, waiting: 4 } },
  /**
   * Files on their way in and out, which wait on disk, and the places kept for workspaces that have none. Beyond that:
   * 503 with Retry-After.
   */
  uploads: { places: 16, kept_free: 6 },
  downloads: { places: 48, kept_free: 16 },
  /**
   * Bodies above the usual limit that are held at a time, on routes that take them, and the places kept for networks that
   * have none: slow senders of one network keep nobody else out. More are refused at once.
   */
  long_bodies: { places: 8, kept_free: 4 },
  /**
   * Conversations with tool servers that others run, which may be slow: of one workspace, and of all with the places kept for
   * workspaces that have none.
   */
  tool_calls: { owner: { places: 8, waiting: 16, wait_ms: 2000 }, all: { places: 96, kept_free: 48 } },
  /** Callers and jobs that may wait for a model, in each lane; how many run at a time is a setting. */
  models: { waiting: 128, waiting_per_owner: 32 },
} as const

export type TurnKind = keyof typeof bulkheads.turns
