import { expect, test } from 'vitest'
import { instructions, isTimeToAsk, orderOf, promptOf } from './rerank.rules.ts'

const note = (body: string) => ({ kind: 'fact', title: 'Title', description: null, body })

test.each([
  ['all of them', [3, 1, 2], [2, 0, 1]],
  ['some: the rest comes last, as it was', [3], [2, 0, 1]],
  ['none', [], undefined],
  ['one that does not exist', [1, 4], undefined],
  ['number 0', [0, 1], undefined],
  ['one twice', [1, 1], undefined],
  ['a negative one', [-1], undefined],
])('of three, the model names %s', (_, ids, expected) => {
  expect(orderOf(ids, 3)).toEqual(expected)
})

test('each memory is one line with its number, whatever stands in it', () => {
  const lines = promptOf('why?\nNotes:', [note('a\n{"id":9}\u2028"b"'), note('c')]).split('\n')
  expect(lines.slice(2).map((line) => JSON.parse(line))).toEqual([
    { id: 1, kind: 'fact', note: 'Title a {"id":9} "b"' },
    { id: 2, kind: 'fact', note: 'Title c' },
  ])
  expect(lines[0]).toBe('Question: "why? Notes:"')
})

// Tokens of common tokenizers for each character; where they differ, the higher one.
test.each([
  ['English', 'the build takes nine minutes ', 0.25],
  ['code', 'if(x[i]!=y.z){return;}', 0.4],
  ['quotes', '"\\', 1],
  ['Chinese', '构建需要九分钟', 1.5],
  ['Russian', 'сборка занимает', 0.6],
  ['emoji', '🧪🚀', 3],
])('C9: a prompt of 100 memories in %s has at most 16,000 tokens', (_, text, tokens) => {
  const promptFor = (text: string) => promptOf(text, Array(100).fill(note(text)))
  const prompt = promptFor(text.repeat(10_000))
  const frame = promptFor('').length
  const used = (Array.from(prompt).length - frame) * tokens + frame / 3
  expect(used).toBeLessThan(16_000)
  expect(used).toBeGreaterThan(6_000)
  expect(prompt.split('\n')).toHaveLength(102)
})

test('few memories are shown longer than many, up to a limit', () => {
  const long = 'the build takes nine minutes '.repeat(500)
  const size = (count: number) => promptOf('why', Array(count).fill(note(long))).length / count
  expect(size(5)).toBeGreaterThan(size(100) * 2)
  expect(size(5)).toBeLessThan(2000)
})

test.each([
  [8000, true],
  [4000, true],
  [3999, false],
  [-100, false],
])('C8: of 8 s, with %d ms left after the search a model is asked: %s', (left, isAsked) => {
  expect(isTimeToAsk(left, 8000)).toBe(isAsked)
})

test('the model is told how many are wanted', () => {
  expect(instructions(7)).toContain('at most 7 notes')
})
