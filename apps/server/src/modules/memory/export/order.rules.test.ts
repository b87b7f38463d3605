import fc from 'fast-check'
import { expect, test } from 'vitest'
import { effectiveConfidence } from '../memories/confidence.rules.ts'
import { inOrder, nextChangeOfOrder, type Ranked } from './order.rules.ts'

const start = Date.parse('2026-01-01T00:00:00Z')
const hour_ms = 3_600_000
const after = (hours: number) => new Date(start + hours * hour_ms)
const ids = (memories: readonly Ranked[]) => memories.map(({ id }) => id)

const memory = fc.record({
  id: fc.uuid(),
  importance: fc.constantFrom('low', 'normal', 'high', 'critical'),
  confidence: fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 0.3, 0.8, 1)),
  anchored_at: fc.integer({ min: -2000, max: 0 }).map((hours) => after(hours).toISOString()),
  created_at: fc.integer({ min: -3000, max: -2000 }).map((hours) => after(hours).toISOString()),
})
const memories = fc.uniqueArray(memory, { selector: ({ id }) => id, maxLength: 30 })

test('the highest effective confidence comes first', () => {
  fc.assert(
    fc.property(memories, fc.integer({ min: 0, max: 5000 }), (some, hours) => {
      const values = inOrder(some, after(hours)).map((each) => effectiveConfidence(each, after(hours)))
      for (const [at, value] of values.slice(1).entries())
        expect(value).toBeLessThanOrEqual((values[at] ?? 0) + 1e-12)
    }),
  )
})

test('the order does not depend on the order in which they are read, and changes only when it was said', () => {
  fc.assert(
    fc.property(memories, fc.integer({ min: 0, max: 5000 }), fc.nat(1_000_000), (some, hours, later) => {
      const now = after(hours)
      const ordered = inOrder(some, now)
      expect(ids(inOrder(some.toReversed(), now))).toEqual(ids(ordered))
      const next = nextChangeOfOrder(ordered)
      const then = new Date(
        Math.min(now.getTime() + later * 1000, (next?.getTime() ?? Number.MAX_SAFE_INTEGER) - 2),
      )
      if (then > now) expect(ids(inOrder(some, then))).toEqual(ids(ordered))
      if (next && next > now)
        expect(ids(inOrder(some, new Date(next.getTime() + 2)))).not.toEqual(ids(ordered))
    }),
  )
})
