import { ownServerMark } from '@crewhall/testkit/given-address.ts'
import { expect, test } from 'vitest'
import { judgeOutcomes } from './conformance-report.ts'

test('what needs a server of its own did not run, and nothing else counts as that', () => {
  const outcomes = [
    { title: 'passes', state: 'passed', errors: [] },
    { title: 'kills', state: 'failed', errors: [`${ownServerMark}: its process`] },
    { title: 'is wrong', state: 'failed', errors: ['expected 1 to be 2\n  at'] },
    { title: 'is left out', state: 'skipped', errors: [] },
    { title: 'has another setting', state: 'skipped', errors: [`${ownServerMark}: settings (A, B)`] },
    { title: 'has a hook that fails', state: 'skipped', errors: ['no answer'] },
  ]
  expect(judgeOutcomes(outcomes)).toEqual({
    passed: 1,
    failed: [
      { title: 'is wrong', message: 'expected 1 to be 2' },
      { title: 'has a hook that fails', message: 'no answer' },
    ],
    not_run: [
      { title: 'kills', why: 'need its process' },
      { title: 'is left out', why: 'left out by themselves' },
      { title: 'has another setting', why: 'need settings (A, B)' },
    ],
  })
})
