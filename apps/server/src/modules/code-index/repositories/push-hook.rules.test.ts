import { PushNotice } from '@crewhall/contracts/code-index/push-hook.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { concernsBranch } from './push-hook.rules.ts'

test.each<[unknown, string | null, boolean]>([
  [{ ref: 'refs/heads/main' }, 'main', true],
  [{ ref: 'refs/heads/next' }, 'main', false],
  [{ ref: 'refs/heads/main/next' }, 'main', false],
  [{ ref: 'refs/heads/Main' }, 'main', false],
  [{ ref: 'refs/tags/main' }, 'main', false],
  [{ ref: 'refs/heads/team/x' }, 'team/x', true],
  // The default branch of the remote: some senders name it, and otherwise only the remote knows.
  [{ ref: 'refs/heads/trunk', repository: { default_branch: 'trunk' } }, null, true],
  [{ ref: 'refs/heads/next', repository: { default_branch: 'trunk' } }, null, false],
  [{ ref: 'refs/heads/next', project: { default_branch: 'trunk' } }, null, false],
  [{ ref: 'refs/heads/next' }, null, true],
  [{ ref: 'refs/tags/v1' }, null, false],
  // Without a ref the remote is asked.
  [{ zen: 'Keep it logically awesome.', hook_id: 1 }, 'main', true],
  [{ ref: 'main', ref_type: 'branch' }, 'main', true],
  [{ ref: 7 }, 'main', true],
  [[], 'main', true],
  [null, 'main', true],
  [undefined, 'main', true],
  ['refs/heads/next', 'main', true],
])('%j on the branch %s: %s', (body, branch, expected) => {
  expect(concernsBranch(PushNotice.parse(body), branch)).toBe(expected)
})

test('any JSON is read', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(typeof concernsBranch(PushNotice.parse(value), 'main')).toBe('boolean')
    }),
  )
})
