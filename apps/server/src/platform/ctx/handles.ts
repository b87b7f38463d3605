import type { DatabaseHandle } from '@crewhall/contracts/database-handles.ts'
import type { CtxParts } from '#platform/ctx/ctx.ts'
import type { Database } from '#platform/db/database.ts'

/** A way to the database with connections and limits of its own. */
export interface Handle {
  readonly database: Database
  readonly deadline_ms: number
}

export function handleOf({ handles }: CtxParts, name: DatabaseHandle): Handle {
  const handle = handles?.[name]
  if (!handle) throw new Error(`this process has no database handle ${name}`)
  return handle
}

/** What contexts on that handle are made from. */
export const partsOn = (parts: CtxParts, name: DatabaseHandle): CtxParts => ({
  ...parts,
  database: handleOf(parts, name).database,
  limits_commits: true,
})
