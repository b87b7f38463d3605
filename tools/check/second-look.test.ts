import { expect, test } from 'vitest'
import { merged, secondLook } from './second-look.ts'

const file = (name: string, ...messages: string[]) => ({
  name,
  status: 'failed',
  message: '',
  assertionResults: messages.map((each) => ({ status: 'failed', failureMessages: [each] })),
})
const files = (count: number) =>
  Array.from({ length: count }, (_, n) =>
    file(`conformance/boards/${n}.test.ts`, 'AssertionError: expected 1'),
  )

test('some files get a second look', () => {
  expect(secondLook(files(25))).toHaveLength(25)
})

test('many do not: then it is not the crowd', () => {
  expect(secondLook(files(26))).toEqual([])
})

const lastingFindings = [
  'conformance/boards/move-race.test.ts',
  'conformance/lessons/near-swap.test.ts',
  'conformance/platform/isolation/matrix.test.ts',
  'conformance/conversations/canary.test.ts',
  'conformance/platform/faults/api-kill.test.ts',
  'conformance/platform/erasure/everything.test.ts',
]

test.each(lastingFindings)('nothing gets one where %s has seen what must never happen', (name) => {
  expect(secondLook([...files(1), file(name, 'AssertionError: expected 2 to be 1')])).toEqual([])
  expect(secondLook([file(name, 'Error: not so within 60000 ms', 'AssertionError: no')])).toEqual([])
  expect(secondLook([{ ...file(name), message: 'SyntaxError: no' }])).toEqual([])
  expect(secondLook([file(name)])).toEqual([])
})

test.each(lastingFindings)('%s gets one if it came to no end in its time', (name) => {
  expect(
    secondLook([file(name, 'Error: not so within 60000 ms\n    at x', 'Error: Test timed out in 5000ms.')]),
  ).toEqual([name])
  expect(secondLook([{ ...file(name), message: 'Hook timed out in 1200000ms.\nIf' }])).toEqual([name])
})

test('what the second run found stands in the place of the first', () => {
  const ran = (name: string, ...statuses: string[]) => ({
    name,
    status: statuses.includes('failed') ? 'failed' : 'passed',
    assertionResults: statuses.map((status) => ({ status })),
  })
  const first = { numPassedTests: 2, numFailedTests: 2, success: false }
  const report = {
    ...first,
    testResults: [ran('a', 'passed', 'failed'), ran('b', 'failed'), ran('c', 'passed')],
  }
  const second = { ...first, testResults: [ran('a', 'passed', 'passed'), ran('b', 'failed')] }
  expect(merged(report, second)).toEqual({
    numPassedTests: 3,
    numFailedTests: 1,
    success: false,
    testResults: [ran('a', 'passed', 'passed'), ran('b', 'failed'), ran('c', 'passed')],
  })
})
