import { expect, test } from 'vitest'
import { VectorCache } from '#platform/embeddings/vector-cache.ts'
import { meanOf, vectorText } from '#platform/embeddings/vectors.ts'

const vector = (...numbers: number[]) => Float32Array.from(numbers)

test('the mean of pieces has length 1 and leans to the long piece', () => {
  const mean = meanOf([vector(2, 0), vector(0, 5)], [3, 4])
  expect(Array.from(mean ?? [], (value) => Number(value.toFixed(5)))).toEqual([0.6, 0.8])
})

test.for([
  ['none', []],
  ['a zero', [vector(0, 0)]],
  ['opposites', [vector(1, 0), vector(-1, 0)]],
  ['no numbers', [vector(Number.NaN, 1)]],
] as const)('vectors without a direction (%s) have no mean', ([, vectors]) => {
  expect(
    meanOf(
      vectors,
      vectors.map(() => 1),
    ),
  ).toBeUndefined()
})

test('the text of a vector is one that pgvector reads, without exponents', () => {
  expect(vectorText(vector(0.5, -0.25, 1e-9, 0.0000015))).toBe('[0.5,-0.25,0,0.000002]')
})

test('the cache keeps what was used last, within its bytes', () => {
  const bytes = 4 * 4 + 256
  const cache = new VectorCache(bytes * 2)
  const [a, b, c] = [vector(1, 0, 0, 0), vector(0, 1, 0, 0), vector(0, 0, 1, 0)] as const
  cache.set('a', a)
  cache.set('b', b)
  expect(cache.get('a')).toBe(a)
  cache.set('c', c)
  expect(cache.get('b')).toBeUndefined()
  expect([cache.get('a'), cache.get('c')]).toEqual([a, c])
  cache.set('c', b)
  expect(cache.size).toBe(2)
  cache.set('large', new Float32Array(1000))
  expect(cache.size).toBe(0)
})
