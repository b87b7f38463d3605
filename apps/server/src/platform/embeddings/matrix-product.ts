import { compileMultiply, type Multiply, memoryOf, tile } from '#platform/embeddings/matrix-code.ts'

/** Where a matrix lies in the memory of the code, in numbers. */
export interface Packed {
  readonly start: number
  readonly depth: number
  readonly columns: number
}
export interface Matrix {
  readonly depth: number
  readonly columns: number
  /** By rows. */
  readonly numbers: Float32Array
}

/** Rows that are multiplied at a time. They bound the memory, and the caches of a processor hold them. */
const mostRows = 256

export const canMultiply = ({ columns }: Pick<Matrix, 'columns'>): boolean => columns % tile.columns === 0

/** Products with matrices that stay the same, which are laid out once as the code reads them. */
export class MatrixProduct {
  readonly packed: readonly Packed[]
  readonly #numbers: Float32Array
  readonly #multiply: Multiply
  readonly #left: number
  readonly #product: number

  constructor(matrices: readonly Matrix[], mayRelax = true) {
    const most = (of: (matrix: Matrix) => number) => Math.max(0, ...matrices.map(of))
    const size = matrices.reduce((sum, { numbers }) => sum + numbers.length, 0)
    this.#left = size
    this.#product = size + mostRows * most(({ depth }) => depth)
    const total = this.#product + mostRows * most(({ columns }) => columns)
    const memory = memoryOf(4 * total)
    this.#numbers = new Float32Array(memory.buffer)
    this.#multiply = compileMultiply(memory, mayRelax)
    let start = 0
    this.packed = matrices.map((matrix) => {
      const { depth, columns } = matrix
      this.#pack(matrix, start)
      const at = { start, depth, columns }
      start += depth * columns
      return at
    })
  }

  /** Multiplies rows with one of the matrices, into `product`. */
  write(rows: Float32Array, { start, depth, columns }: Packed, product: Float32Array): void {
    const count = rows.length / depth
    for (let first = 0; first < count; first += mostRows) {
      const some = Math.min(mostRows, count - first)
      const blocks = Math.ceil(some / tile.rows)
      this.#packRows(rows.subarray(first * depth, (first + some) * depth), depth, blocks)
      const panels = columns / tile.columns
      this.#multiply(4 * this.#left, 4 * start, 4 * this.#product, blocks, panels, depth)
      product.set(this.#numbers.subarray(this.#product, this.#product + some * columns), first * columns)
    }
  }

  #pack({ depth, columns, numbers }: Matrix, start: number): void {
    for (let at = 0; at < columns; at += tile.columns)
      for (let row = 0; row < depth; row += 1) {
        const from = row * columns + at
        this.#numbers.set(
          numbers.subarray(from, from + tile.columns),
          start + at * depth + row * tile.columns,
        )
      }
  }

  /** Rows that are missing in the last block may be anything: nobody reads what becomes of them. */
  #packRows(rows: Float32Array, depth: number, blocks: number): void {
    const numbers = this.#numbers
    for (let row = 0; row < Math.min(blocks * tile.rows, rows.length / depth); row += 1) {
      const block = Math.floor(row / tile.rows)
      const start = this.#left + block * tile.rows * depth + (row % tile.rows)
      const from = row * depth
      for (let at = 0; at < depth; at += 1) numbers[start + at * tile.rows] = rows[from + at] ?? 0
    }
  }
}
