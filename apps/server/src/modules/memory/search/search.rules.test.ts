import { expect, test } from 'vitest'
import { fuse, isLowMatch, typoWords } from './search.rules.ts'

const listed = (...ids: string[]) => ids.map((id) => ({ id, created_at: '2026-01-01T00:00:00.000000Z' }))
const order = (lists: Parameters<typeof fuse>[0]) => fuse(lists).map(({ id }) => id)

test('one list keeps its order', () => {
  expect(order({ text: listed('c', 'a', 'b') })).toEqual(['c', 'a', 'b'])
})

test('what stands in two lists comes before what is first in one', () => {
  expect(order({ text: listed('a', 'b'), trigram: listed('b') })).toEqual(['b', 'a'])
})

test('trigrams count less than text, and vectors as much', () => {
  expect(order({ text: listed('b'), trigram: listed('a'), vector: listed('c') })).toEqual(['b', 'c', 'a'])
})

test('ranks are told for each list', () => {
  expect(fuse({ text: listed('a', 'b'), vector: listed('b') }).map(({ id, ranks }) => [id, ranks])).toEqual([
    ['b', { text: 2, vector: 1 }],
    ['a', { text: 1 }],
  ])
})

// 1 / (10 + 34) is 0.25 / (10 + 1).
test.each([
  ['the newest first', { id: 'a', created_at: '2025-01-01T00:00:00.000000Z' }, ['z', 'a']],
  ['then by id', { id: 'a', created_at: '2026-01-01T00:00:00.000000Z' }, ['a', 'z']],
])('of equal scores, %s', (_, of_trigrams, expected) => {
  const before = listed(...Array.from({ length: 33 }, (_, n) => `before-${n}`))
  const fused = order({ text: [...before, ...listed('z')], trigram: [of_trigrams] })
  expect(fused.slice(33)).toEqual(expected)
})

test('words long enough to be recognised with an error, the longest first, each once', () => {
  expect(typoWords("How do we deploy the Kubernetes-cluster? Deploy! 'x' % ünïcöde")).toEqual([
    'kubernetes',
    'cluster',
    'ünïcöde',
    'deploy',
  ])
  expect(typoWords('a b % _ 12')).toEqual([])
})

test.each([
  [1, 1, false],
  [3, 2, false],
  [4, 2, false],
  [5, 2, false],
  [7, 3, false],
  [6, 2, true],
  [3, 1, true],
  [2, 0, true],
  [0, 0, true],
])('of %i words %i are there: low match is %s', (words, matched, expected) => {
  expect(isLowMatch({ words, matched })).toBe(expected)
})
