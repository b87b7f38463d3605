import { describe, expect, test } from 'vitest'
import { readCorpus } from './corpus.ts'
import { contentWords, sharedPhrase, sharedWords, wordsOf } from './wording.ts'

const { memories, queries, unanswerable } = readCorpus()
const byId = new Map(memories.map((memory) => [memory.id, memory]))
const repeated = (values: readonly string[]) => values.filter((value, at) => values.indexOf(value) !== at)

describe('the corpus', () => {
  test('is as large as the figures made from it claim', () => {
    expect(memories.length).toBeGreaterThanOrEqual(1000)
    expect(queries.length).toBeGreaterThanOrEqual(300)
    expect(unanswerable).toHaveLength(20)
    expect(new Set(memories.map(({ agent }) => agent)).size).toBeGreaterThanOrEqual(5)
    expect(new Set(memories.map(({ kind }) => kind)).size).toBe(5)
  })

  test('repeats no id, title, body or question', () => {
    expect(repeated([...memories, ...queries, ...unanswerable].map(({ id }) => id))).toEqual([])
    expect(repeated(memories.map(({ title }) => title.toLowerCase()))).toEqual([])
    expect(repeated(memories.map(({ body }) => body.toLowerCase()))).toEqual([])
    expect(repeated([...queries, ...unanswerable].map(({ query }) => query.toLowerCase()))).toEqual([])
  })

  test('is not one sentence with other words put in: at most three bodies begin with the same four words', () => {
    const begins = memories.map(({ body }) => wordsOf(body).slice(0, 4).join(' '))
    const counts = new Map<string, number>()
    for (const begin of begins) counts.set(begin, (counts.get(begin) ?? 0) + 1)
    expect([...counts].filter(([, count]) => count > 3)).toEqual([])
  })

  test('keeps the bounds of the interface', () => {
    for (const { id, title, body, description = '', tags } of memories) {
      expect(title.length, id).toBeLessThanOrEqual(500)
      expect(description.length, id).toBeLessThanOrEqual(200)
      expect(body.length, id).toBeGreaterThan(10)
      expect(tags.length, id).toBeGreaterThan(0)
    }
  })

  test('labels each question with one to three memories of the agent that is asked', () => {
    for (const { id, agent, answers } of queries) {
      expect(answers.length, id).toBeGreaterThanOrEqual(1)
      expect(answers.length, id).toBeLessThanOrEqual(3)
      expect(repeated(answers), id).toEqual([])
      for (const answer of answers) expect(byId.get(answer)?.agent, `${id} ${answer}`).toBe(agent)
    }
  })

  test('asks in other words: at most half of the words stand in the title, and no phrase of four', () => {
    const copied = queries.flatMap(({ id, query, answers }) =>
      answers.flatMap((answer) => {
        const { title = '', body = '', description = '' } = byId.get(answer) ?? {}
        const share = sharedWords(query, title)
        const phrase = [title, body, description].map((text) => sharedPhrase(query, text, 4)).find(Boolean)
        return share > 0.5 || phrase
          ? [`${id} "${query}" <- ${title} (${share.toFixed(2)}, ${phrase ?? 'no phrase'})`]
          : []
      }),
    )
    expect(copied).toEqual([])
  })

  test('asks enough to be understood', () => {
    expect(queries.filter(({ query }) => contentWords(query).size < 2).map(({ query }) => query)).toEqual([])
  })
})
