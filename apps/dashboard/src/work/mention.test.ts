import { expect, test } from 'vitest'
import { inlineOf } from './markdown.ts'
import { namesLike, typedMention, withMention } from './mention.rules.ts'

test('an @ begins a mention at the start and after a space, and not within a word or an address', () => {
  expect(typedMention('@', 1)).toEqual({ at: 0, letters: '' })
  expect(typedMention('ask @Ine', 8)).toEqual({ at: 4, letters: 'Ine' })
  expect(typedMention('ask @Ines Ok', 12)).toEqual({ at: 4, letters: 'Ines Ok' })
  expect(typedMention('ask @Ine later', 8)).toEqual({ at: 4, letters: 'Ine' })
  expect(typedMention('ines@example.com', 8)).toBeUndefined()
  expect(typedMention('@Ines did it', 12)).toBeUndefined()
  expect(typedMention('@member:6 ', 10)).toBeUndefined()
})

test('names are found by the beginning of each word', () => {
  const all = [{ name: 'Tomas Lind' }, { name: 'Linda Ek' }, { name: 'Wren' }]
  expect(namesLike(all, 'lin')).toEqual([{ name: 'Linda Ek' }, { name: 'Tomas Lind' }])
  expect(namesLike(all, 'tomas l')).toEqual([{ name: 'Tomas Lind' }])
  expect(namesLike(all, 'ind')).toEqual([])
})

test('a mention takes the place of what was typed', () => {
  const text = 'ask @Ine later'
  expect(withMention(text, { at: 4, letters: 'Ine' }, 'member:6')).toEqual({
    text: 'ask @member:6 later',
    caret: 14,
  })
})

test('mentions are read as such, and nothing else is', () => {
  expect(inlineOf('ask @member:6, or @agent:wren')).toEqual([
    { kind: 'text', text: 'ask ' },
    { kind: 'mention', text: '@member:6' },
    { kind: 'text', text: ', or ' },
    { kind: 'mention', text: '@agent:wren' },
  ])
  for (const plain of ['a@member:6', '@member:0', '@member:6x', '@someone'])
    expect(inlineOf(plain)).toEqual([{ kind: 'text', text: plain }])
  expect(inlineOf('`@member:6`')).toEqual([{ kind: 'code', text: '@member:6' }])
})
