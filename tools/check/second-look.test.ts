import { expect, test } from 'vitest'
import { merged, secondLook } from './second-look.ts'

const files = (count: number) => Array.from({ length: count }, (_, n) => `conformance/boards/${n}.test.ts`)

test('a few files get a second look', () => {
  expect(secondLook(files(10))).toHaveLength(10)
})

test('many do not: then it is not the crowd', () => {
  expect(secondLook(files(11))).toEqual([])
})

test('nothing gets one where a file has seen what must never happen', () => {
  for (const file of [
    'conformance/boards/move-race.test.ts',
    'conformance/lessons/near-swap.test.ts',
    'conformance/platform/isolation/matrix.test.ts',
    'conformance/conversations/canary.test.ts',
    'conformance/platform/faults/api-kill.test.ts',
    'conformance/platform/erasure/everything.test.ts',
  ])
    expect(secondLook([...files(1), file])).toEqual([])
})

test('what the second run found stands in the place of the first', () => {
  const file = (name: string, ...statuses: string[]) => ({
    name,
    status: statuses.includes('failed') ? 'failed' : 'passed',
    assertionResults: statuses.map((status) => ({ status })),
  })
  const first = { numPassedTests: 2, numFailedTests: 2, success: false }
  const report = {
    ...first,
    testResults: [file('a', 'passed', 'failed'), file('b', 'failed'), file('c', 'passed')],
  }
  const second = { ...first, testResults: [file('a', 'passed', 'passed'), file('b', 'failed')] }
  expect(merged(report, second)).toEqual({
    numPassedTests: 3,
    numFailedTests: 1,
    success: false,
    testResults: [file('a', 'passed', 'passed'), file('b', 'failed'), file('c', 'passed')],
  })
})
