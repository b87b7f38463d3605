import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFence } from './fence.ts'
import { lengthOf, maxTextLength, type Piece, render } from './pieces.ts'

const nonce = '5f2c81aa93bd40e7'
const fence = createFence(nonce)
const marks = new RegExp(`</?guest-${nonce}>`, 'g')

const fenced = new RegExp(`<guest-${nonce}>([^<]*)</guest-${nonce}>`, 'g')
const unframed = (inside: string) => (inside.includes('\n') ? inside.slice(1, -1) : inside)

/** Long enough for several parts, with characters of two units, and lines of all lengths. */
const words = fc.constantFrom('word ', 'line\n', '𝒳', 'é', 'x'.repeat(1000), `${'y'.repeat(300)}\n`)
const text = fc.array(words, { maxLength: 60 }).map((parts) => parts.join(''))
const piece = fc.oneof(
  text,
  text.map((each): Piece => ({ text: each, provenance: 'guest' })),
)

test('what is cut is told, and its parts are the whole text', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const parts: string[] = []
      let offset: number | undefined = 0
      while (offset !== undefined) {
        const part = render(pieces, fence, offset)
        expect(part.text.length).toBeLessThanOrEqual(maxTextLength)
        expect(part.text.isWellFormed()).toBe(true)
        const found = part.text.match(marks) ?? []
        // A fence that begins in a part ends in it.
        expect(found.filter((mark) => mark.startsWith('</'))).toHaveLength(found.length / 2)
        expect(part.text.startsWith(fence.note)).toBe(found.length > 0)
        parts.push(
          part.text.replace(`${fence.note}\n`, '').replaceAll(fenced, (_, inside) => unframed(inside)),
        )
        if (part.next_offset !== undefined) expect(part.next_offset).toBeGreaterThan(offset)
        offset = part.next_offset
      }
      const whole = pieces.map((each) => (typeof each === 'string' ? each : each.text)).join('')
      expect(parts.join('')).toBe(whole)
      expect(lengthOf(pieces)).toBe(whole.length)
    }),
    { numRuns: 100 },
  )
})

test('nothing is left behind the end', () => {
  expect(render(['abc'], fence, 3)).toEqual({ text: '', next_offset: undefined })
  expect(render(['abc'], fence, 1)).toEqual({ text: 'bc', next_offset: undefined })
})
