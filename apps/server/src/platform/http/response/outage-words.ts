import { databaseHandles } from '@crewhall/contracts/database-handles.ts'
import type { AnyRoute } from '@crewhall/contracts/route.ts'
import { Outage } from '#platform/outage/outage.ts'

/** The same error, and an outage with the status and the text that the contract has for it. */
export function inWordsOf(spec: AnyRoute, error: unknown): unknown {
  if (!(error instanceof Outage)) return error
  const words = spec.outage ?? wordsOfHandle(spec, error)
  return words ? error.worded(words) : error
}

/** Being overloaded is 503 on every handle, and so is an outage of the main one, on which callers are looked up. */
function wordsOfHandle({ database }: AnyRoute, { part, reason }: Outage) {
  if (database === undefined) return undefined
  const { unreachable, timeout } = databaseHandles[database]
  if (part === database && reason === 'unreachable') return unreachable
  return (part === database || part === 'service') && reason === 'timeout' ? timeout : undefined
}
