import { expect, test } from 'vitest'
import { canMultiply, MatrixProduct } from './matrix-product.ts'

/** Whole numbers, so that no order of adding them rounds. */
const numbers = (count: number, seed: number): Float32Array =>
  Float32Array.from({ length: count }, (_, at) => ((at * 7 + seed * 13) % 23) - 11)

function slowly(rows: Float32Array, depth: number, columns: number, right: Float32Array): Float32Array {
  const product = new Float32Array((rows.length / depth) * columns)
  for (let row = 0; row < rows.length / depth; row += 1)
    for (let column = 0; column < columns; column += 1) {
      let sum = 0
      for (let at = 0; at < depth; at += 1)
        sum += (rows[row * depth + at] ?? 0) * (right[at * columns + column] ?? 0)
      product[row * columns + column] = sum
    }
  return product
}

const sizes = [
  { depth: 64, columns: 8 },
  { depth: 96, columns: 40 },
  { depth: 200, columns: 64 },
]

test.each([true, false])(
  'products are those of the rule, however many rows there are (relaxed: %s)',
  (mayRelax) => {
    const matrices = sizes.map((size, at) => ({ ...size, numbers: numbers(size.depth * size.columns, at) }))
    const product = new MatrixProduct(matrices, mayRelax)
    for (const [at, { depth, columns, numbers: right }] of matrices.entries())
      for (const count of [1, 3, 4, 5, 256, 257, 300]) {
        const rows = numbers(count * depth, count)
        const made = new Float32Array(count * columns).fill(Number.NaN)
        const packed = product.packed[at]
        if (!packed) throw new Error('not packed')
        product.write(rows, packed, made)
        expect(made).toEqual(slowly(rows, depth, columns, right))
      }
  },
)

test('columns come in eights', () => {
  expect([8, 512, 12, 0].map((columns) => canMultiply({ columns }))).toEqual([true, true, false, true])
})
