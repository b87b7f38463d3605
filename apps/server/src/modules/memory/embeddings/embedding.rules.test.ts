import { expect, test } from 'vitest'
import { embeddedText } from './embedding.rules.ts'

test('title, description, tags and body are embedded, as far as there are any', () => {
  const memory = { title: 'T', description: 'D', tags: ['a', 'b'], body: 'B' }
  expect(embeddedText(memory)).toBe('T\nD\na b\nB')
  expect(embeddedText({ ...memory, description: null, tags: [] })).toBe('T\nB')
})
