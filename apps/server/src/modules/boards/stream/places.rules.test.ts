import fc from 'fast-check'
import { expect, test } from 'vitest'
import { deriveList, derivePlaces, derivePosition, nextPlaces } from './places.rules.ts'

const place = fc.record({
  board_id: fc.uuid(),
  created_at: fc.date({ noInvalidDate: true, min: new Date(0) }).map((date) => date.toISOString()),
  id: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String),
})
const places = fc.uniqueArray(place, { minLength: 1, maxLength: 20, selector: ({ board_id }) => board_id })

test('what goes into a position comes out of it', () => {
  fc.assert(
    fc.property(places, (all) => {
      const ids = all.map(({ board_id }) => board_id)
      expect(derivePlaces(ids, derivePosition(all))).toEqual(all)
    }),
  )
})

test('an entry moves the place on its board and no other', () => {
  fc.assert(
    fc.property(places, place, fc.nat(), (all, to, at) => {
      const which = at % all.length
      const board_id = all[which]?.board_id ?? ''
      const moved = nextPlaces(all, { ...to, board_id })
      expect(moved[which]).toEqual({ ...to, board_id })
      expect(moved.toSpliced(which, 1)).toEqual(all.toSpliced(which, 1))
    }),
  )
})

test('for one board, list and position are those of the activity feed', () => {
  const one = { board_id: 'b', created_at: '2026-01-02T03:04:05.000006Z', id: '7' }
  expect([deriveList(3, [one]), derivePosition([one])]).toEqual([
    'activity:3:b',
    '2026-01-02T03:04:05.000006Z|7',
  ])
})

test('different boards or workspaces have different lists', () => {
  const [a, b] = [
    { board_id: 'a', created_at: '', id: '0' },
    { board_id: 'b', created_at: '', id: '0' },
  ]
  const lists = [deriveList(1, [a]), deriveList(1, [b]), deriveList(1, [a, b]), deriveList(2, [a])]
  expect(new Set(lists).size).toBe(4)
})
