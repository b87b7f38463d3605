import { type RefusalKind, refusal } from './refusal.ts'

/** Responses of routes on a handle: it cannot be reached, or it did not respond before the deadline. */
interface HandleOutages {
  readonly unreachable: RefusalKind
  readonly timeout: RefusalKind
}

/**
 * Other ways to the same database, each with connections, limits and a deadline of its own. Routes without one use the
 * main handle, and an outage there is 503.
 */
export const databaseHandles = {
  /** MEMO-66, MEMO-67. */
  memory: {
    unreachable: refusal(502, 'The memory service cannot be reached'),
    timeout: refusal(504, 'The memory service did not respond within 30 seconds'),
  },
  code_index: {
    unreachable: refusal(502, 'The code index cannot be reached'),
    timeout: refusal(504, 'The code index did not respond in time'),
  },
} as const satisfies Readonly<Record<string, HandleOutages>>

export type DatabaseHandle = keyof typeof databaseHandles
