import { expect, test } from 'vitest'
import { checkSizes, measureFiles, percentile, summarize } from './check-sizes.ts'
import { plantRepo } from './planted-repo.ts'
import { listTypeScript } from './repo-files.ts'

const lines = (count: number) => 'x\n'.repeat(count)

const measure = (tree: Record<string, string>) => {
  const root = plantRepo(tree)
  return measureFiles(root, listTypeScript(root))
}

test('a source may have 400 lines and a test 600', () => {
  const files = measure({ 'tools/a.ts': lines(400), 'tools/a.test.ts': lines(600), 'b.tsx': lines(1) })
  expect(checkSizes(files, {})).toEqual([])
})

test('one line more fails', () => {
  const files = measure({ 'tools/a.ts': lines(401), 'tools/a.test.tsx': lines(601), 'b.ts': lines(400) })
  const violations = checkSizes(files, {})
  expect(violations.map(({ path, line, rule }) => `${path}:${line} ${rule}`)).toEqual([
    'tools/a.test.tsx:601 size',
    'tools/a.ts:401 size',
  ])
})

test('a long file passes only while it is listed with a reason', () => {
  const files = measure({ 'a.ts': lines(401) })
  expect(checkSizes(files, { 'a.ts': 'one table of facts' })).toEqual([])
  expect(checkSizes(files, { 'a.ts': ' ' })).toMatchObject([{ path: 'a.ts', rule: 'size' }])
})

test('an entry of the list that is no longer needed fails', () => {
  const files = measure({ 'a.ts': lines(10) })
  expect(checkSizes(files, { 'a.ts': 'was long' })).toMatchObject([{ path: 'a.ts', rule: 'size-list' }])
})

test('generated files and other formats are not measured', () => {
  expect(measure({ 'a.gen.ts': lines(999), 'b.d.ts': lines(999), 'openapi.json': lines(999) })).toEqual([])
})

test('percentiles are sizes that really occur', () => {
  const sizes = Array.from({ length: 20 }, (_, index) => 20 - index)
  expect([0.5, 0.95, 1].map((share) => percentile(sizes, share))).toEqual([10, 19, 20])
  expect(percentile([], 0.5)).toBe(0)
})

test('the summary tells median, p95 and max', () => {
  const files = measure({ 'a.ts': lines(10), 'b.ts': lines(30), 'c.ts': lines(20), 'c.test.ts': lines(5) })
  expect(summarize(files)).toContain('sources 3 files, median 20, p95 30, max 30')
})
