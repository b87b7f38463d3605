import { beforeAll, expect, test } from 'vitest'
import { ensureDashboard, firstLoadBudget, listScripts, pageBudget } from './build-dashboard.ts'

beforeAll(ensureDashboard)

test('the first load of the dashboard stays within its budget', () => {
  const first = listScripts().filter(({ is_first }) => is_first)
  expect(first.length).toBeGreaterThan(0)
  expect(first.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(firstLoadBudget)
})

test('no page of the dashboard adds more than its budget', () => {
  for (const { file, bytes, is_first } of listScripts())
    if (!is_first) expect([file, bytes <= pageBudget]).toEqual([file, true])
})
