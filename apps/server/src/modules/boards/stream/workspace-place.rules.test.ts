import { expect, test } from 'vitest'
import { derivePlace, derivePosition, mergeByTime, type StreamPosition } from './workspace-place.rules.ts'

const at = '2026-01-01T00:00:00.000001Z'
const log = { created_at: at, id: '9' }
const places: StreamPosition[] = [
  { from: { snapshot: '10:20:11,14', at }, upto: null, after: null, log },
  {
    from: { snapshot: '10:10:', at },
    upto: { snapshot: '12:20:14', at },
    after: { created_at: at, id: '7' },
    log,
  },
  { from: { snapshot: '10:10:', at }, upto: { snapshot: '12:20:14', at }, after: null, log },
]

test.each(places)('a place comes back from its position: %j', (place) => {
  expect(derivePlace(derivePosition(place))).toEqual(place)
})

const timed = (...times: number[]) => times.map((n) => ({ created_at: `${n}` }))
test.each([
  [timed(), timed(1, 2), timed(1, 2)],
  [timed(1, 4), timed(2, 3), timed(1, 2, 3, 4)],
  [timed(5), timed(1, 9), timed(1, 5, 9)],
  // The clock was set back in one of the two: its own order stays.
  [timed(5, 3), timed(4), timed(4, 5, 3)],
])('%j and %j are merged by time', (one, other, merged) => {
  expect(mergeByTime(one, other)).toEqual(merged)
})
