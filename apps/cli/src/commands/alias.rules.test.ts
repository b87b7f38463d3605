import { expect, test } from 'vitest'
import { wordsIn } from './alias.rules.ts'

test.each([
  ['card list', ['card', 'list']],
  ['  card   list ', ['card', 'list']],
  [`card create "Two words" --label 'a b'`, ['card', 'create', 'Two words', '--label', 'a b']],
  [`a "" ''`, ['a', '', '']],
  [`a b\\ c "d\\"e" 'f\\g'`, ['a', 'b c', 'd"e', 'f\\g']],
  [`--x="a b"c`, ['--x=a bc']],
  ['', []],
])('%j is %j', (line, words) => {
  expect(wordsIn(line)).toEqual(words)
})

test.each([`card "list`, `it's`])('%j does not end', (line) => {
  expect(wordsIn(line)).toBe(undefined)
})
