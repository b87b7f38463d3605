import type pg from 'pg'

interface Corked {
  readonly writableCorked: number
  cork(): void
  uncork(): void
}

/**
 * Statements that a transaction asks for in one turn of the event loop leave in one write: the opening with what
 * comes first, and whatever does not depend on each other's answers. A write is a system call, and dearer than
 * most statements.
 */
export function joinWrites(client: pg.ClientBase): void {
  const { stream } = (client as unknown as { connection: { stream: Corked } }).connection
  // The driver corks only while it writes one statement, so this one was corked here, in this turn.
  if (stream.writableCorked > 0) return
  stream.cork()
  process.nextTick(() => stream.uncork())
}
