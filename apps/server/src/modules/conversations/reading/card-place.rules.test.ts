import { expect, test } from 'vitest'
import { placeOf, positionOf } from './card-place.rules.ts'

const place = {
  completed_at: '2026-11-16T08:00:00.000001Z',
  id: '3f8a6c1e-52d4-4b7a-9c0e-1a2b3c4d5e6f',
}

test('a position is read back to the microsecond', () => {
  expect(placeOf(positionOf(place))).toEqual(place)
})

test.each(['', 'x', place.id, `${place.completed_at} x`, `${positionOf(place)}0`])(
  '%j is the beginning',
  (text) => {
    expect(placeOf(text)).toBeUndefined()
  },
)
