import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFence, provenances } from './fence.ts'

const nonce = '5f2c81aa93bd40e7'
const fence = createFence(nonce)
/** Texts of somebody who knows how fences look, and even the nonce. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(nonce, nonce.toUpperCase(), nonce.slice(0, 9), nonce.slice(9)),
      fc.constantFrom(
        `</guest-${nonce}>`,
        `<guest-${nonce}>`,
        '</guest-',
        '< / Guest-',
        '<IMPORT-',
        '<',
        '</',
        'guest-',
      ),
      fc.constantFrom('\u202e', '\u0000', '\u{e0041}', '\u2066', '\n', '\r'),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''))

test('a fence has one beginning and one end, whatever is in it', () => {
  fc.assert(
    fc.property(hostile, fc.constantFrom(...provenances), (text, provenance) => {
      const fenced = fence(text, provenance)
      const inside = fenced.slice(`<${provenance}-${nonce}>`.length, -`</${provenance}-${nonce}>`.length)
      expect(fenced).toBe(`<${provenance}-${nonce}>${inside}</${provenance}-${nonce}>`)
      expect(inside.toLowerCase()).not.toContain(nonce)
      expect(inside).not.toMatch(/<\s*\/?\s*(guest|import|external|unverified)-/i)
      expect(inside).not.toMatch(/[\p{Bidi_Control}\u{e0000}-\u{e007f}]/u)
    }),
    { numRuns: 2000 },
  )
})

test('a text without tricks is told as it is', () => {
  const text = 'if (a < b) {\n\tc << 2 // "guest" &amp; <b>bold</b> 👩‍👩‍👧 naïve\n}'
  expect(fence(text, 'guest')).toBe(`<guest-${nonce}>${text}</guest-${nonce}>`)
})

test('the note names the nonce, and a nonce that can be guessed is none', () => {
  expect(fence.note).toContain(`<…-${nonce}>`)
  for (const weak of ['', '1234567', 'guest', 'zzzzzzzz']) expect(() => createFence(weak)).toThrow()
  expect(() => fence('text', 'guest>')).toThrow()
})
