import { expect, test } from 'vitest'
import { ExtractPool, poolDefaults } from './extract-pool.ts'

const blob = (text: string) => ({ language: 'javascript' as const, bytes: Buffer.from(text) })
const small = blob('export const one = () => 1')
const names = (facts: readonly string[]) =>
  facts.map((text) => JSON.parse(text).definitions.map(({ name }: { name: string }) => name))

test('a thread that has taken too much memory is replaced, and no facts are lost', async () => {
  // What a long line needs is never given back.
  const large = blob(`var a=[${'f(1),'.repeat(40_000)}0]`)
  const pool = new ExtractPool({ ...poolDefaults, threads: 1, thread_mb: 58 })
  try {
    expect(names(await pool.extract([small]))).toEqual([['one']])
    expect(pool.replaced).toBe(0)
    expect(names(await pool.extract([small, large]))).toEqual([['one'], ['a']])
    expect(pool.replaced).toBe(1)
    expect(names(await pool.extract([small]))).toEqual([['one']])
    expect(pool.replaced).toBe(1)
  } finally {
    await pool.close()
  }
})

test('many batches at a time go on when each one spends its thread', async () => {
  const pool = new ExtractPool({ ...poolDefaults, threads: 2, thread_mb: 1 })
  try {
    const batches = await Promise.all(Array.from({ length: 5 }, () => pool.extract([small])))
    expect(batches.map(names)).toEqual(Array.from({ length: 5 }, () => [['one']]))
    expect(pool.replaced).toBe(5)
  } finally {
    await pool.close()
  }
})
