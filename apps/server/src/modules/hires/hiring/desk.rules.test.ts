import { expect, test } from 'vitest'
import { runtimeOf } from './desk.rules.ts'

test.each([
  ['claude.hard', 'claude_code'],
  ['codex.docs', 'codex'],
  ['gemini.easy', 'custom'],
  ['toString.easy', 'custom'],
  ['', 'custom'],
])('a desk for %j has the runtime %s', (coder_profile, runtime) => {
  expect(runtimeOf(coder_profile)).toBe(runtime)
})
