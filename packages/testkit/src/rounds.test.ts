import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const module = resolve(import.meta.dirname, 'rounds.ts')

const evaluate = (expression: string, env: Record<string, string>): unknown =>
  JSON.parse(
    execFileSync(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import { roundsFor, scaled } from '${module}'; console.log(JSON.stringify(${expression}))`,
      ],
      { env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' },
    ),
  )

const all = '[scaled(150000, 2000), roundsFor(200, 0.9), roundsFor(200, 0.5), roundsFor(200, 0.01)]'

test('the gate runs as many rounds as a race lost at the rate of its twin passes once in a million', () => {
  const [, often, half] = evaluate(all, {}) as number[]
  expect(often).toBe(10)
  expect(0.5 ** (half ?? 0)).toBeLessThan(1e-6)
})

test('the gate never runs more than the full figure, and a rare loss runs all of it', () => {
  expect(evaluate(all, {})).toEqual([2000, 10, 20, 200])
  expect(evaluate(all, { ROUNDS: 'gate' })).toEqual([2000, 10, 20, 200])
})

test('ROUNDS=full runs every figure', () => {
  expect(evaluate(all, { ROUNDS: 'full' })).toEqual([150_000, 200, 200, 200])
})
