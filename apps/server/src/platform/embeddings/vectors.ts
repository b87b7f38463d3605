/** Of length 1, so that the inner product of two is their cosine. */
export type Vector = Float32Array

/** The mean direction of the pieces of a text, long ones counting more. Undefined if there is none. */
export function meanOf(vectors: readonly Vector[], weights: readonly number[]): Vector | undefined {
  const [first] = vectors
  if (!first) return undefined
  const sum = new Float64Array(first.length)
  for (const [n, vector] of vectors.entries()) {
    const weight = (weights[n] ?? 0) / lengthOf(vector)
    for (const [i, value] of vector.entries()) sum[i] = (sum[i] ?? 0) + value * weight
  }
  const length = lengthOf(sum)
  return length > 0 && Number.isFinite(length) ? Float32Array.from(sum, (value) => value / length) : undefined
}

const lengthOf = (numbers: Float32Array | Float64Array): number => {
  let squares = 0
  for (const value of numbers) squares += value * value
  return Math.sqrt(squares)
}

/** As pgvector reads it. A `halfvec` keeps three digits, so six decimals lose nothing. */
export const vectorText = (vector: Vector): string =>
  `[${Array.from(vector, (value) => Number(value.toFixed(6))).join(',')}]`
