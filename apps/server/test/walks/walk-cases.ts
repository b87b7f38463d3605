import type { walk } from '#modules/code-index'

type WalkQuery = Parameters<typeof walk>[3]

export interface WalkCase {
  readonly what: string
  readonly starts: number
  readonly from: 'files' | 'hubs'
  readonly query: WalkQuery
  /** On a quiet machine, for a million nodes and five million edges. */
  readonly p95_ms?: number
}

const standard: WalkQuery = { depth: 2, kinds: ['import', 'contains'], direction: 'both', hub_cap: 25 }
const wide: WalkQuery = { depth: 3, kinds: ['import', 'call', 'contains'], direction: 'both', hub_cap: 200 }

export const walkCases: readonly WalkCase[] = [
  { what: 'default: 1 file, depth 2, cap 25', starts: 1, from: 'files', query: standard, p95_ms: 50 },
  { what: '1 file, depth 3, cap 25', starts: 1, from: 'files', query: { ...standard, depth: 3 } },
  { what: '1 file, depth 3, all kinds, cap 200', starts: 1, from: 'files', query: wide },
  { what: '50 files, depth 3, all kinds, cap 200', starts: 50, from: 'files', query: wide, p95_ms: 100 },
  { what: '1 hub, depth 3, all kinds, cap 200', starts: 1, from: 'hubs', query: wide, p95_ms: 100 },
  { what: '50 hubs, depth 3, all kinds, cap 200', starts: 50, from: 'hubs', query: wide },
]
