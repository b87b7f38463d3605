import { expect, test } from 'vitest'
import { judgePatterns } from './judge-patterns.ts'
import { checkPatterns } from './pattern-check.ts'
import { scanPatterns } from './pattern-scan.ts'
import { plantRepo } from './planted-repo.ts'

const nothing = { linear: [], slow: [] }
const exponential = '/^(a|a)*$/'
const polynomial = '/-+$/'
const linear = '/^a+$/u'

test('literals of shipped code are found with their places, those of tests and tools are not', () => {
  const root = plantRepo({
    'apps/server/src/a.ts': 'const a = /-+$/\nconst b = [/x/gi, new RegExp("y")]\n',
    'packages/contracts/src/b.ts': '// also\nexport const c = (text: string) => text.replace(/-+$/, "")\n',
    'apps/server/src/a.test.ts': 'const d = /test/\n',
    'tools/a.ts': 'const e = /tool/\n',
  })
  const { literals, built } = scanPatterns(root)
  expect(Object.fromEntries(literals)).toEqual({
    '/-+$/': ['apps/server/src/a.ts:1', 'packages/contracts/src/b.ts:2'],
    '/x/gi': ['apps/server/src/a.ts:2'],
  })
  expect(built).toBe(1)
})

test('a new pattern is judged once, one that is gone is forgotten and a reason stays', async () => {
  const first = await judgePatterns([polynomial, linear, exponential], nothing)
  expect(first.linear).toEqual([linear])
  expect(first.slow.map(({ pattern, verdict }) => [pattern, verdict])).toEqual([
    [polynomial, expect.stringContaining('2nd degree polynomial')],
    [exponential, expect.stringContaining('exponential')],
  ])
  const kept = [{ pattern: polynomial, verdict: 'as told', reason: 'at most 30 characters' }]
  const again = await judgePatterns([polynomial], { linear: first.linear, slow: kept })
  expect(again).toEqual({ linear: [], slow: kept })
})

test('a slow pattern without a reason, one that was not judged and one that is gone are refused', () => {
  const literals = new Map([
    [linear, ['a.ts:1']],
    [polynomial, ['a.ts:2', 'b.ts:3']],
    ['/new/', ['c.ts:4']],
  ])
  const check = (reason: string) =>
    checkPatterns(literals, {
      linear: [linear, '/gone/'],
      slow: [{ pattern: polynomial, verdict: 'polynomial', reason }],
    }).map(({ path, line, rule }) => `${path}:${line} ${rule}`)
  const always = ['c.ts:4 pattern', 'tools/check/patterns.json:1 pattern-list']
  expect(check('at most 30 characters')).toEqual(always)
  expect(check(' ')).toEqual(['a.ts:2 pattern', 'b.ts:3 pattern', ...always])
})
