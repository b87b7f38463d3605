import { randomUUID } from 'node:crypto'

export interface Write {
  readonly name: string
  /** The status of the answer, or what kept it from coming. */
  readonly outcome: number | string
  readonly began_at: number
  readonly ended_at: number
}

export interface Writers {
  /** Every write that has come to its end so far, in the order of the ends. */
  readonly writes: readonly Write[]
  count(outcome: number, since?: number): number
  /** How many writers had this outcome for a write that began after the given time. */
  writersWith(outcome: number, since: number): number
  /** Lets the writes under way end. */
  stop(): Promise<void>
}

/** A write without an answer for so long counts as hung. */
const hangMs = 20_000

/**
 * Clients that each add row after row over HTTP under unique names and remember the responses. Afterwards the table shows
 * whether an acknowledged row is missing.
 */
export function startWriters(url: string, clients: number): Writers {
  const writes: (Write & { client: number })[] = []
  let running = true
  const loop = async (client: number) => {
    while (running) {
      const name = randomUUID()
      const began_at = performance.now()
      const outcome = await write(url, name)
      writes.push({ name, outcome, began_at, ended_at: performance.now(), client })
    }
  }
  const loops = Array.from({ length: clients }, (_, client) => loop(client))
  return {
    writes,
    count: (outcome, since = 0) =>
      writes.filter((one) => one.outcome === outcome && one.began_at >= since).length,
    writersWith: (outcome, since) =>
      new Set(
        writes.filter((one) => one.outcome === outcome && one.began_at >= since).map(({ client }) => client),
      ).size,
    async stop() {
      running = false
      await Promise.all(loops)
    },
  }
}

async function write(url: string, name: string): Promise<number | string> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name }),
      signal: AbortSignal.timeout(hangMs),
    })
    await response.arrayBuffer()
    return response.status
  } catch (error) {
    return String(error)
  }
}
