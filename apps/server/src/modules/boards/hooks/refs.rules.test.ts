import { expect, test } from 'vitest'
import { mayBeOf, refsIn } from './refs.rules.ts'

test.each<[string, string[]]>([
  ['CORE-12: carry over', ['CORE-12']],
  ['fix/core-12-carry', ['CORE-12']],
  ['core-12 and CORE-12 and (OPS-1)', ['CORE-12', 'OPS-1']],
  ['XCORE-012 A-1 CORE-12b core_12 CORE-0', []],
  ['TOOLONGAKEY-1', []],
])('refs in %j', (text, refs) => {
  expect(refsIn(text)).toEqual(refs)
})

test('of very many refs, the first twenty count', () => {
  expect(refsIn(Array.from({ length: 500 }, (_, n) => `CORE-${n + 1}`).join(' '))).toHaveLength(20)
})

test.each<[string | null, boolean]>([
  [null, true],
  ['team/engine', true],
  ['engine', true],
  ['Team/Engine.git', true],
  ['https://github.com/team/engine/', true],
  ['git@github.com:team/engine.git', true],
  ['other/engine', false],
  ['gine', false],
])('a card with the repository %j is about it: %s', (repository, expected) => {
  expect(mayBeOf(repository, 'https://github.com/team/engine')).toBe(expected)
})
