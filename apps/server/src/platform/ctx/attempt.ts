import { Refusal } from '@crewhall/contracts/refusal.ts'
import type { Transaction } from '#platform/db/queryable.ts'
import type { KeptEvent } from '#platform/events/workspace-event.ts'

// Parts may hold parts: of savepoints with one name, the newest counts.
const begin = 'savepoint part'
const end = 'release savepoint part'
const undo = 'rollback to savepoint part'

/**
 * Runs a part of a transaction. A refusal undoes what the part has written, also when a statement of it has failed, and
 * what it has announced. Everything else ends the whole transaction.
 */
export async function attemptIn<T>(db: Transaction, events: KeptEvent[], work: () => Promise<T>): Promise<T> {
  const told = events.length
  // Neither is awaited: they travel with the next statement. A failure shows there, and again at the commit.
  send(db, begin)
  try {
    const result = await work()
    send(db, end)
    return result
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    await db.inOrder([db.sql(undo), db.sql(end)])
    events.length = told
    throw error
  }
}

function send(db: Transaction, text: string): void {
  db.sql(text).catch(() => {})
}
