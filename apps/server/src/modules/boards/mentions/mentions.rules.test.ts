import { expect, test } from 'vitest'
import { mentionsIn, newMentions } from './mentions.rules.ts'

test.each([
  ['Ask @member:12 and (@agent:build-bot), please', ['member:12', 'agent:build-bot']],
  ['@member:1@member:2 twice @member:1', ['member:1']],
  ['ann@member:12 @@member:3 x.@agent:a', []],
  ['@member:012 @member:0 @member:1234567890 @members:1 @agent: @agent:é', []],
  ['**@agent:a**, `@agent:b`.\n@agent:c', ['agent:a', 'agent:b', 'agent:c']],
])('%s', (text, mentions) => expect(mentionsIn(text)).toEqual(mentions))

test('a text mentions at most 20, and long texts are read quickly', () => {
  const many = Array.from({ length: 50 }, (_, n) => `@member:${n + 1}`).join(' ')
  expect(mentionsIn(many)).toHaveLength(20)
  const start = performance.now()
  for (const text of ['@'.repeat(65_536), '@agent:'.repeat(9000), `@agent:${'a'.repeat(65_000)}`])
    expect(mentionsIn(text)).toEqual([])
  expect(performance.now() - start).toBeLessThan(1000)
})

test('what was mentioned before is not new', () => {
  expect(newMentions('@agent:a', '@agent:a @member:1')).toEqual(['member:1'])
  expect(newMentions('@agent:a', 'none')).toEqual([])
})
