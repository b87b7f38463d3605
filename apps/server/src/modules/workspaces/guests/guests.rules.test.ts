import { describe, expect, test } from 'vitest'
import { deriveGuests, deriveRemoved, type Grant } from './guests.rules.ts'

const person = (id: number, full_name: string) => ({ id, full_name, email: `${id}@x.test`, image: null })
const grant = (person_id: number, kind: Grant['kind'], name: string, resource_id = 'a'): Grant => ({
  person_id,
  kind,
  name,
  resource_id,
  role: null,
})
const none = new Set<number>()

describe('guests', () => {
  test('are those with access, in the order of names and then of ids', () => {
    const grants = [5, 4, 3, 2].map((id) => grant(id, 'docs', 'S'))
    const people = [person(2, 'Bo'), person(3, 'al'), person(4, 'Bo'), person(5, 'Ål'), person(6, 'Aa')]
    expect(deriveGuests(grants, people, none).map(({ user_id }) => user_id)).toEqual([3, 5, 2, 4])
  })

  test('are no members, whatever access those have', () => {
    expect(deriveGuests([grant(1, 'board', 'B')], [person(1, 'A')], new Set([1]))).toEqual([])
  })

  test('have boards first, then names, then ids', () => {
    const grants = [
      grant(1, 'docs', 'A'),
      grant(1, 'board', 'b', '2'),
      grant(1, 'board', 'b', '1'),
      grant(1, 'board', 'A', '3'),
    ]
    const [guest] = deriveGuests(grants, [person(1, 'A')], none)
    expect(guest?.access.map(({ kind, resource_id }) => `${kind} ${resource_id}`)).toEqual([
      'board 3',
      'board 1',
      'board 2',
      'docs a',
    ])
  })
})

describe('what was removed', () => {
  const board = (count: number) => ({ kind: 'board' as const, count })
  const docs = (count: number) => ({ kind: 'docs' as const, count })
  test.each([
    ['nothing noted, nothing removed', [], [board(0), docs(0)], 0, 0],
    ['all of it at the first try', [board(2), docs(1)], [board(2), docs(1)], 2, 1],
    ['boards by an earlier try', [board(2), docs(1)], [board(0), docs(1)], 2, 1],
    ['one more than noted', [docs(1)], [board(0), docs(2)], 0, 2],
    ['by two providers of one kind', [], [docs(1), docs(2)], 0, 3],
  ])('%s', (_, noted, removed, boards_removed, docs_removed) => {
    expect(deriveRemoved(noted, removed)).toEqual({ boards_removed, docs_removed })
  })
})
