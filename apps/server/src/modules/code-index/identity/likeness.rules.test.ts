import fc from 'fast-check'
import { expect, test } from 'vitest'
import { likenessOf, mostAlike, pairsOf } from './likeness.rules.ts'

const likeness = (a: string, b: string) => likenessOf(pairsOf(a), pairsOf(b))
const body = `export function total(rows: number[]): number {
  let sum = 0
  for (const row of rows) if (row > 10) sum += row * 2
  return sum
}`

test('layout does not count, an edit counts a little, and other code a lot', () => {
  expect(likeness(body, body.replaceAll('\n', '\n\n    '))).toBe(1)
  const edited = body.replace('total', 'sumOf').replace('row * 2', 'row * 3')
  expect(likeness(body, edited)).toBeGreaterThan(0.8)
  expect(likeness(body, edited)).toBeLessThan(1)
  expect(
    likeness(body, "export class Store {\n  find(id: string): string {\n    return id + 'x'\n  }\n}"),
  ).toBeLessThan(0.6)
})

test('likeness is a share, the same both ways, and 1 for what is equal', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), fc.string({ maxLength: 200 }), (a, b) => {
      const found = likeness(a, b)
      expect(found).toBe(likeness(b, a))
      expect(found).toBeGreaterThanOrEqual(0)
      expect(found).toBeLessThanOrEqual(1)
      if (a.trim() !== '') expect(likeness(a, a)).toBe(1)
    }),
  )
})

test('only what is similar enough is named, the most similar first, and no more than asked for', () => {
  const among = [
    ['other', 'a b c'],
    ['edited', body.replace('2', '3')],
    ['same', body],
    ['longer', `${body}\n${body.replaceAll('row', 'line')}`],
  ] as const
  const pairs = among.map(([name, text]) => [name, pairsOf(text)] as const)
  expect(mostAlike(pairsOf(body), pairs, 0.6, 3).map(({ item }) => item)).toEqual([
    'same',
    'edited',
    'longer',
  ])
  expect(mostAlike(pairsOf(body), pairs, 0.6, 1).map(({ item }) => item)).toEqual(['same'])
  expect(mostAlike(pairsOf(''), pairs, 0.6, 3)).toEqual([])
})
