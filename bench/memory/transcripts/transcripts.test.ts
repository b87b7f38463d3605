import { describe, expect, test } from 'vitest'
import { ReadingModel } from './reading-model.ts'
import { noiseOfEach, readFacts, readNoise, transcripts } from './transcripts.ts'

const cases = transcripts(60)
const facts = readFacts()

test('60 transcripts, 20 of each form, hold each of 240 facts once and 600 lines of noise', () => {
  const forms = Map.groupBy(cases, ({ form }) => form)
  expect([...forms.values()].map(({ length }) => length)).toEqual([20, 20, 20])
  expect(new Set(cases.flatMap(({ facts }) => facts.map(({ title }) => title))).size).toBe(240)
  expect(cases.every(({ noise }) => noise.length === noiseOfEach)).toBe(true)
  for (const { facts, noise, sent } of cases) {
    // Lines may be broken where a mail program would break them.
    const text = JSON.stringify(sent).replaceAll(/(?:\\+n|\s)+/g, ' ')
    for (const { said } of facts) expect(text).toContain(JSON.stringify(said).slice(1, -1))
    for (const { line } of noise) expect(text).toContain(words(line))
  }
})
/** Escapes differ by the depth of the JSON around. */
const words = (line: string) => /[\p{L}\p{N} ,.'-]{8,}/u.exec(line.trim().replaceAll(/\s+/g, ' '))?.[0] ?? ''

describe('facts', () => {
  test('are sentences of their own: no two begin alike, and no title is there twice', () => {
    const starts = facts.map(({ said }) => said.split(' ').slice(0, 3).join(' '))
    expect(facts.length - new Set(starts).size).toBeLessThanOrEqual(5)
    for (const key of ['said', 'title'] as const)
      expect(new Set(facts.map((fact) => fact[key].toLowerCase())).size).toBe(240)
  })

  test('are noted with the numbers that were said', () => {
    const numbers = (text: string) => text.match(/\d[\d.,:]*\d/g) ?? []
    const wrong = facts.filter(({ said, title }) => numbers(title).some((number) => !said.includes(number)))
    expect(wrong).toEqual([])
  })
})

describe('the model', () => {
  const noise = readNoise()
  const [fact] = facts
  const boot = noise.find(({ kind }) => kind === 'boot')?.line ?? ''
  const promptOf = (...texts: string[]) => ({
    system: '',
    user: texts.map((text, message) => JSON.stringify({ message, role: 'person', text })).join('\n'),
    authorization: undefined,
  })
  const titles = (answer: unknown) =>
    (answer as { memories: { title: string }[] }).memories.map(({ title }) => title)

  test('notes a fact that it is shown, and noise that the filter would have left in', () => {
    const model = new ReadingModel(facts, noise)
    expect(titles(model.answer(promptOf('Hello.')))).toEqual([])
    expect(titles(model.answer(promptOf(`So: ${fact?.said}`, boot)))).toEqual([fact?.title, boot])
    expect([...model.seen]).toEqual([boot])
  })

  test('invents three for each ten facts, and none of it stands in the prompt', () => {
    const model = new ReadingModel(facts, noise)
    let invented = 0
    for (const { facts } of cases) {
      const prompt = promptOf(...facts.map(({ said }) => said))
      const { memories } = model.answer(prompt) as { memories: { title: string; quote: string }[] }
      const planted = new Set(facts.map(({ title }) => title))
      const extra = memories.filter(({ title }) => !planted.has(title))
      invented += extra.length
      for (const { title, quote } of extra)
        expect(prompt.user.includes(JSON.stringify(quote).slice(1, -1)) && !/\d\d/.test(title)).toBe(false)
    }
    expect(invented).toBe(72)
    expect(Object.keys(model.invented)).toHaveLength(4)
  })
})
