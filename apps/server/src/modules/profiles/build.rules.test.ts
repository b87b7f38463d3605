import fc from 'fast-check'
import { expect, test } from 'vitest'
import { deriveBuildMinutes } from './build.rules.ts'

const minutes = fc.integer({ min: 1, max: 100_000 })
const desk = fc.record({
  coder: fc.constant('pi' as const),
  limit_minutes: minutes,
  ceiling_minutes: minutes,
})

test('a build never runs longer than the ceiling, nor shorter than both limits allow', () => {
  fc.assert(
    fc.property(desk, fc.option(minutes), (of, wall) => {
      const given = deriveBuildMinutes(of, wall)
      expect(given).toBeLessThanOrEqual(of.ceiling_minutes)
      const wanted = wall === null || wall < of.limit_minutes ? of.limit_minutes : wall
      expect(given === wanted || given === of.ceiling_minutes).toBe(true)
      expect(given).toBeLessThanOrEqual(wanted)
    }),
  )
})
