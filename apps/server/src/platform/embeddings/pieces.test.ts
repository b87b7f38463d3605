import fc from 'fast-check'
import { expect, test } from 'vitest'
import { batchesOf, piecesOf } from '#platform/embeddings/pieces.ts'

const limits = { characters: 100, count: 4 }

test('a short text is one piece', () => {
  expect(piecesOf('  the lock file \n', limits)).toEqual(['the lock file'])
})

test('a long text is cut at spaces, in order, and to its maximum', () => {
  const text = 'word '.repeat(300)
  const pieces = piecesOf(text, limits)
  expect(pieces).toHaveLength(4)
  expect(pieces.join('')).toBe(text.slice(0, pieces.join('').length))
  for (const piece of pieces) expect(piece.length).toBeGreaterThan(80)
})

test('a text without spaces is cut at the limit', () => {
  expect(piecesOf('x'.repeat(250), limits).map(({ length }) => length)).toEqual([100, 100, 50])
})

test.for(['', '   ', '\n\t'])(
  'nothing to read (%j) is a space, because models have no vector for nothing',
  (text) => {
    expect(piecesOf(text, limits)).toEqual([' '])
  },
)

test('a character that becomes many does not make pieces longer', () => {
  const pieces = piecesOf('\ufdfa'.repeat(400), limits)
  expect(pieces).toHaveLength(4)
  for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(100)
})

test('whatever the text is, pieces are short, few and well formed', () => {
  const small = { characters: 20, count: 4 }
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 120 }), (text) => {
      const pieces = piecesOf(text, small)
      const isGood = (piece: string) => piece.length > 0 && piece.length <= 20 && piece.isWellFormed()
      return pieces.length > 0 && pieces.length <= 4 && pieces.every(isGood)
    }),
  )
})

test('short pieces share a batch, long ones fill it, and none is lost', () => {
  const most = { pieces: 3, characters: 100 }
  expect(batchesOf(['a', 'b', 'c', 'd'], most)).toEqual([['a', 'b', 'c'], ['d']])
  const long = 'x'.repeat(60)
  expect(batchesOf([long, long, 'a', long], most)).toEqual([[long], [long, 'a'], [long]])
  expect(batchesOf(['x'.repeat(200), 'a'], most)).toEqual([['x'.repeat(200)], ['a']])
  expect(batchesOf([], most)).toEqual([])
})
