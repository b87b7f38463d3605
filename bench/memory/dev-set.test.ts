import { expect, test } from 'vitest'
import { readCorpus } from './corpus.ts'
import { devSet } from './dev-set.ts'
import { contentWords } from './wording.ts'

const { memories, plain, all } = devSet(readCorpus())
const texts = new Map(
  memories.map(({ id, title, body, description = '', tags }) => [
    id,
    [title, body, description, ...tags].join(' '),
  ]),
)

test('the set of developers has 120 memories of one agent and 80 questions', () => {
  expect([memories.length, plain.length]).toEqual([120, 80])
  expect(new Set([...memories, ...all].map(({ agent }) => agent)).size).toBe(1)
  expect(new Set(memories.map(({ id }) => id.replace(/-\d+$/, ''))).size).toBe(5)
})

test('each question has its answers in the set, and those that are judged share a word with one', () => {
  const known = new Set(all.map(({ id }) => id))
  expect(plain.filter(({ id }) => !known.has(id))).toEqual([])
  expect(all.flatMap(({ answers }) => answers).filter((id) => !texts.has(id))).toEqual([])
  const apart = plain.filter(({ query, answers }) =>
    answers.every((id) => contentWords(query).isDisjointFrom(contentWords(texts.get(id) ?? ''))),
  )
  expect(apart).toEqual([])
})
